import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import { askConsent } from '../lab/consent';
import { formatPrompt } from '../text/format';
import { words } from '../text/messages';
import { own } from '../text/own';
import type { IKernelMemory } from '../tokens';
import { Choice } from './choice';
import { type DryRunArgs, dryRunOf } from './dryrun';
import { type DryRunMore, Here } from './here';

import '../../style/dryrun.css';

/** The code cells of a notebook in their current state, with display names. */
export function cellsOf(
  { model }: NotebookPanel,
  last: number | null,
  trans: TranslationBundle
): Pick<DryRunArgs, 'sources' | 'labels'> {
  const cells = [...(model?.cells ?? [])];
  const taken = (last === null ? cells : cells.slice(0, last + 1)).filter(
    cell => cell.type === 'code' && cell.sharedModel.getSource().trim() !== ''
  );
  return {
    sources: Object.fromEntries(
      taken.map(cell => [cell.id, cell.sharedModel.getSource()])
    ),
    labels: Object.fromEntries(
      taken.map(cell => [cell.id, labelOf(cell, cells.indexOf(cell), trans)])
    )
  };
}

/** Label by the number of its last run, else by its position. */
function labelOf(
  cell: ICellModel,
  index: number,
  trans: TranslationBundle
): string {
  const { executionCount } = cell as ICodeCellModel;
  return executionCount
    ? formatPrompt(executionCount)
    : trans.__('cell %1', index + 1);
}

/**
 * Ask which GPU to simulate and up to which cell, then start a dry run. Cells with side
 * effects are confirmed before anything runs. Never rejects.
 *
 * @param show - called when it starts, to show the panel with the results
 * @returns a sentence on why it did not start; `null`: it did, or the user canceled
 */
export async function beginDryRun(
  memory: IKernelMemory,
  panel: NotebookPanel,
  show: () => void,
  trans: TranslationBundle
): Promise<string | null> {
  const { button, value } = await showDialog({
    title: trans.__('Dry run on a GPU'),
    body: new Choice(memory, panel, trans),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Start dry run') })
    ],
    focusNodeSelector: 'select'
  });
  if (!button.accept || value === null) {
    return null;
  }
  const { gpu, last } = value;
  const cells = cellsOf(panel, last, trans);
  show();
  return runDry(memory, panel, { ...cells, gpu, report_id: null }, trans);
}

/**
 * Start a dry run of cells of a notebook, after confirmation by the user if they have
 * side effects. `more` requests results that take longer: values, and the largest batch
 * on each GPU.
 */
export async function runDry(
  memory: IKernelMemory,
  panel: NotebookPanel,
  cells: Omit<DryRunArgs, 'agreed' | keyof DryRunMore>,
  trans: TranslationBundle,
  more: DryRunMore = { largest_on_each: false, values_to: null }
): Promise<string | null> {
  const dryRun = dryRunOf(memory);
  const args = { ...cells, ...more };
  if (!dryRun.isGoing) {
    const again = async (also: Partial<DryRunMore>): Promise<string | null> =>
      runDry(memory, panel, cells, trans, { ...more, ...also });
    dryRun.here = new Here(panel, again, trans);
  }
  const problem = await dryRun.begin({ ...args, agreed: false }, trans);
  const { step } = dryRun;
  if (problem !== null || step?.status !== 'asking') {
    return problem;
  }
  const { asks, message } = step;
  const { sentence } = words(trans);
  const leaveOut = trans.__('Leave them out');
  const explained = trans.__(
    'They do more than compute and write files. Commands such as %pip are skipped.'
  );
  const hasAsks = asks.length > 0;
  const agreed = await askConsent(
    {
      title: hasAsks
        ? trans.__('Also run these cells in the dry run?')
        : trans.__('Run without a sandbox?'),
      costs: asks.map(
        ({ calls, cell_id }) =>
          `${own(args.labels, cell_id) ?? ''}: \`${calls.join(', ')}\``
      ),
      notes: [
        ...(message ? [sentence(message)] : []),
        ...(hasAsks ? [explained] : [])
      ],
      label: hasAsks ? trans.__('Run them') : trans.__('Continue'),
      ...(hasAsks && { first: leaveOut })
    },
    trans
  );
  if (agreed === null) {
    return null;
  }
  const out = agreed === leaveOut ? asks.map(({ cell_id }) => cell_id) : [];
  const sources = Object.fromEntries(
    Object.entries(args.sources).filter(([id]) => !out.includes(id))
  );
  return dryRun.begin({ ...args, sources, agreed: true }, trans);
}
