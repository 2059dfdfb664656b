import { insertBelow } from '../lab/insertion';
import { runCells } from '../lab/run';
import type { IRemedyOffer } from '../renderer/offer';
import { stateOf } from '../report/state';
import { own } from '../text/own';
import { type FixingOf, nameLooking } from './fixing';
import { otherCells } from './fixlabels';
import { rescue } from './rescue';
import { revealLine } from './reveal';

/** Make an edit without running anything. */
const apply = (fixingOf: FixingOf): IRemedyOffer => ({
  id: 'apply',
  rank: 10,
  place: 'remedy',
  label: (context, remedy) => {
    const { trans } = context;
    if (
      remedy.kind !== 'edit' ||
      stateOf(context, remedy.id).status === 'applied'
    ) {
      return null;
    }
    const others = otherCells(context, remedy);
    return others === null
      ? trans.__('Apply')
      : trans.__('Apply to %1', others);
  },
  prepare: (desk, panel) => fixingOf(desk).lookAhead(panel),
  press: async (desk, { panel }, remedyId) => {
    const { model, trans } = desk;
    const fixing = fixingOf(desk);
    const text = nameLooking(trans);
    model.setRemedy(remedyId, { status: 'running', text });
    const fix = await fixing.find(remedyId, panel);
    if (fix) {
      await fixing.make(remedyId, fix);
    }
  }
});

/** Insert the code of a remedy, from the helper's own copy, below the failed cell. */
const INSERT: IRemedyOffer = {
  id: 'insert',
  rank: 20,
  place: 'remedy',
  label: (context, { id, kind, type_this }) =>
    kind === 'snippet' &&
    type_this !== null &&
    stateOf(context, id).status !== 'inserted'
      ? context.trans.__('Insert as cell')
      : null,
  press: async ({ model, trans }, { panel, cellId }, remedyId) => {
    const remedies = model.report?.remedies ?? [];
    const remedy = remedies.find(({ id }) => id === remedyId);
    const { widgets } = panel.content;
    const index = widgets.findIndex(cell => cell.model.id === cellId);
    const code = remedy?.kind === 'snippet' ? remedy.type_this : null;
    if (code === null || index < 0) {
      return;
    }
    if (insertBelow(panel, index, code) === null) {
      const text = trans.__('The notebook is read-only.');
      model.setRemedy(remedyId, { status: 'failed', text });
      return;
    }
    const text = trans.__('Inserted below, not run yet.');
    model.setRemedy(remedyId, { status: 'inserted', text });
    await panel.content.scrollToItem(index + 1);
  }
};

/** Save the state of the training that failed. */
const SAVE: IRemedyOffer = {
  id: 'save',
  rank: 30,
  place: 'remedy',
  label: (context, { id, kind }) => {
    const { status } = stateOf(context, id);
    if (kind !== 'save' || status === 'inserted') {
      return null;
    }
    return status === 'running'
      ? context.trans.__('Saving…')
      : context.trans.__('Save…');
  },
  press: ({ model, trans }, site, remedyId) =>
    rescue(model, remedyId, site, trans)
};

/** Undo an edit. */
const undo = (fixingOf: FixingOf): IRemedyOffer => ({
  id: 'undo',
  rank: 40,
  place: 'outcome',
  label: (context, { id }) =>
    stateOf(context, id).status === 'applied' ? context.trans.__('Undo') : null,
  press: (desk, _, remedyId) => fixingOf(desk).undo(remedyId)
});

/** Run the cells of an edit that was made. */
const run = (fixingOf: FixingOf): IRemedyOffer => ({
  id: 'run',
  rank: 50,
  place: 'outcome',
  label: (context, { id }) => {
    const { state, trans } = context;
    if (stateOf(context, id).status !== 'applied') {
      return null;
    }
    // Names the cells if an edit of another cell makes more than one run.
    const names = own(state.runs, id);
    return names
      ? trans.__('Re-run %1', names.join(', '))
      : trans.__('Re-run cell');
  },
  press: async (desk, { panel }, remedyId) => {
    const cells = fixingOf(desk).runOf(remedyId) ?? [];
    await runCells(panel, cells, desk.translator);
  }
});

/** Show the line that an edit no longer matches. */
const reveal = (fixingOf: FixingOf): IRemedyOffer => ({
  id: 'reveal',
  rank: 60,
  place: 'outcome',
  label: (context, { id }) => {
    const state = stateOf(context, id);
    return state.status === 'changed' && state.line !== null
      ? context.trans.__('Go to line %1', String(state.line))
      : null;
  },
  press: async (desk, { panel, cellId }, remedyId) => {
    const place = fixingOf(desk).lineOf(remedyId);
    await revealLine(panel, place?.cellId ?? cellId, place?.line ?? 1);
  }
});

/**
 * The buttons that change a notebook without running anything, or run what was edited.
 */
export function cellOffers(fixingOf: FixingOf): readonly IRemedyOffer[] {
  return [
    apply(fixingOf),
    INSERT,
    SAVE,
    undo(fixingOf),
    run(fixingOf),
    reveal(fixingOf)
  ];
}
