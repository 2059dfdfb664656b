import type { IRemedy } from '../protocol';
import type { Desk } from '../renderer/desk';
import type { IRemedyOffer } from '../renderer/offer';
import type { ISite } from '../renderer/place';
import { type IContext, stateOf } from '../report/state';
import { own } from '../text/own';
import { applyAndRun } from './applying';
import { agreeTo, type ICost } from './cost';
import type { IFitParts } from './fitter';
import type { Fixing, FixingOf } from './fixing';
import { otherCells } from './fixlabels';
import { makeItFit } from './makeitfit';
import { save } from './rescue';

/** Make an edit, free what the failed cell retains, and run its cells. */
const applyRun = (fixingOf: FixingOf): IRemedyOffer => ({
  id: 'apply-and-run',
  rank: 12,
  place: 'remedy',
  label: (context, remedy) =>
    isOpen(context, remedy) ? nameApplyAndRun(context, remedy) : null,
  // The value that it sets, if known.
  nextLabel: (context, remedy) => {
    const setting = remedy.diffs[0]?.sets ?? null;
    return setting !== null && otherCells(context, remedy) === null
      ? context.trans.__('Set %1 and re-run', setting)
      : nameApplyAndRun(context, remedy);
  },
  press: (desk, site, remedyId) => {
    const fixing = fixingOf(desk);
    const parts = partsOf(desk, fixing, site, remedyId);
    const title = desk.trans.__('Apply and re-run');
    return (
      parts &&
      applyAndRun(desk, fixing, {
        ...parts,
        agree: agreeing(desk, site, title, null)
      })
    );
  }
});

/** Repeat that with ever smaller numbers until the cell passes. */
const makeFit = (fixingOf: FixingOf): IRemedyOffer => ({
  id: 'make-it-fit',
  rank: 14,
  place: 'remedy',
  label: (context, remedy) =>
    isOpen(context, remedy) ? nameMakeItFit(context, remedy) : null,
  nextLabel: nameMakeItFit,
  press: async (desk, site, remedyId) => {
    const { model, trans } = desk;
    const parts = partsOf(desk, fixingOf(desk), site, remedyId);
    if (!parts) {
      return;
    }
    // Progress is shown in its notification.
    model.setRemedy(remedyId, { status: 'begun' });
    const title = trans.__('Make it fit');
    const note = trans.__('It may take several tries.');
    const tried = model.tried?.byRemedy[remedyId];
    const text = await makeItFit({
      ...parts,
      known: tried?.fits ? tried.edits : [],
      agree: agreeing(desk, site, title, note)
    });
    model.setRemedy(
      remedyId,
      text === null ? { status: 'ready' } : { status: 'failed', text }
    );
  }
});

/** The buttons that make an edit and run its cells. */
export function fitOffers(fixingOf: FixingOf): readonly IRemedyOffer[] {
  return [applyRun(fixingOf), makeFit(fixingOf)];
}

function isOpen(context: IContext, { id, kind }: IRemedy): boolean {
  return kind === 'edit' && stateOf(context, id).status !== 'applied';
}

/** Names the cells that it edits and runs, if these are not just the failed one. */
function nameApplyAndRun(context: IContext, remedy: IRemedy): string | null {
  const { state, trans } = context;
  const others = otherCells(context, remedy);
  if (others === null) {
    return trans.__('Apply and re-run');
  }
  const run = own(state.runs, remedy.id);
  return run
    ? trans.__('Apply to %1 and re-run %2', others, run.join(', '))
    : null;
}

/** Offered on the first edit that sets a number, which can be halved. */
function nameMakeItFit(context: IContext, remedy: IRemedy): string | null {
  const { report, trans } = context;
  const first = report.remedies.find(
    ({ kind, diffs }) =>
      kind === 'edit' && diffs.some(({ sets }) => sets !== null)
  );
  return remedy === first && nameApplyAndRun(context, remedy) !== null
    ? trans.__('Make it fit')
    : null;
}

function partsOf(
  { model, session, translator }: Desk,
  { files }: Fixing,
  { panel }: ISite,
  remedyId: string
): Omit<IFitParts, 'agree' | 'once'> | undefined {
  const { report } = model;
  return report
    ? { files, panel, remedyId, report, session, translator }
    : undefined;
}

/** Returns a function that asks the user to agree to the cost of running cells again. */
function agreeing(
  { model, trans }: Desk,
  site: ISite,
  title: string,
  note: string | null
): (cost: ICost) => Promise<boolean> {
  const saving = (): Promise<string> => save(model, site, trans);
  return cost => agreeTo(cost, { title, note, save: saving }, trans);
}
