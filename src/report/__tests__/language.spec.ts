import { PSEUDO, untranslated } from '../../__tests__/pseudo';
import {
  CAUSE,
  CONFIRMED,
  FREE,
  gib,
  RELEASED,
  REPORT,
  RESTART,
  SMALLER_BATCH,
  SNIPPET,
  SUGGESTION
} from '../../__tests__/report';
import { reportIn } from '../../__tests__/reportin';
import type { IRemedy, IReport } from '../../protocol';
import { words } from '../../text/messages';
import type { IReportState, RemedyState } from '../state';

/** Texts of a report that are not translated. */
const NAMES = [
  'Tesla T4',
  'batch_size = 512',
  'batch_size = 1024',
  'In [7]',
  'PyTorch 2.9.1',
  SNIPPET.type_this ?? '',
  SUGGESTION.example ?? ''
];

const remedies = (state: RemedyState): IReportState => ({
  ...CONFIRMED,
  remedies: { [FREE.id]: state, [SMALLER_BATCH.id]: state }
});

const PARTS: IReport['parts'] = [
  { kind: 'other_tensors', bytes: gib(1) },
  { kind: 'workspaces', bytes: gib(1) },
  { kind: 'earlier_error', bytes: gib(1) },
  { kind: 'temporaries', bytes: gib(1) },
  { kind: 'not_attributed', bytes: gib(1) }
];

const ELSEWHERE: IReportState = {
  ...CONFIRMED,
  runs: { [SMALLER_BATCH.id]: ['In [7]', 'In [8]'] }
};

/** An edit of more lines than are shown at once. */
const LONG: IRemedy = {
  ...SMALLER_BATCH,
  diffs: SMALLER_BATCH.diffs.map(diff => ({
    ...diff,
    rows: diff.rows.flatMap(row => Array.from({ length: 10 }, () => row))
  }))
};

/** A worker that failed on another machine, with two others. */
const RANK = {
  worker: { engine: 'rank', rank: 1, pid: 1190, host: 'node7' },
  origin: { cell_id: null, execution_count: 4, line: 6, function: 'train' },
  also_failed: 2
} as const;

/** Reports and states that show every text. */
const REPORTS: [string, Partial<IReport>, IReportState][] = [
  ['a failure', {}, CONFIRMED],
  ['a saved report', {}, { ...CONFIRMED, trust: 'saved' }],
  ['no date', { time_s: NaN }, { ...CONFIRMED, trust: 'saved' }],
  ['a simulated GPU', { simulated: true }, CONFIRMED],
  ['no numbers', { requested_bytes: null, capacity_bytes: null }, CONFIRMED],
  ['nothing known to be free', { available_bytes: null }, CONFIRMED],
  ['no cause', { cause: null, traceback_variables: [] }, CONFIRMED],
  ['a stopped CUDA', { sticky_error: true, remedies: [RESTART] }, CONFIRMED],
  ['other parts', { parts: PARTS }, CONFIRMED],
  ...(['dask', 'ray', 'command', 'process'] as const).map(
    (engine): (typeof REPORTS)[number] => [
      `a worker of ${engine}`,
      { worker: { engine, rank: null, pid: 12, host: null } },
      CONFIRMED
    ]
  ),
  ['a rank', RANK, CONFIRMED],
  ['a simulated rank', { ...RANK, simulated: true }, CONFIRMED],
  [
    'an engine',
    { worker: { ...RANK.worker, engine: 'ipyparallel' } },
    CONFIRMED
  ],
  ['several causes', { further_causes: [CAUSE, CAUSE] }, CONFIRMED],
  ['a measurement that continues', { cause: null, looking: true }, CONFIRMED],
  ['a snippet', { remedies: [SNIPPET] }, CONFIRMED],
  ['a suggestion', { remedies: [SUGGESTION] }, CONFIRMED],
  [
    'a saved snippet',
    { remedies: [SNIPPET] },
    { ...CONFIRMED, trust: 'saved' }
  ],
  ['a long edit', { remedies: [LONG] }, CONFIRMED],
  ['another cell', { cell_id: 'cell-8' }, ELSEWHERE],
  ['a step', {}, remedies({ status: 'running', text: '' })],
  ['a wait', {}, remedies({ status: 'waiting', text: '⟦Waits.⟧' })],
  ['an edit', {}, remedies({ status: 'applied', text: '⟦Applied.⟧' })],
  [
    'an edit that came too late',
    {},
    remedies({ status: 'changed', text: '⟦Changed.⟧', line: 12 })
  ],
  ['a release', {}, { ...CONFIRMED, released: RELEASED }],
  [
    'a release with room enough',
    { fits_after_free: true, remedies: [FREE] },
    { ...CONFIRMED, released: { ...RELEASED, headroom_after_bytes: null } }
  ]
];

describe('the language of a report', () => {
  it.each(REPORTS)('should be the user’s own for %s', (_, changes, state) => {
    const host = document.createElement('div');
    const report = { ...REPORT, ...changes };
    reportIn(host, () => undefined, words(PSEUDO))(report, state);
    expect(host.textContent).toContain('⟦');
    expect(untranslated(host, NAMES)).toEqual([]);
  });

  it('should be detected where it is another', () => {
    const host = document.createElement('div');
    reportIn(host)(REPORT, CONFIRMED);
    expect(untranslated(host, NAMES)).not.toEqual([]);
  });
});
