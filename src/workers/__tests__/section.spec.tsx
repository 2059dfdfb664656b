import {
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { VDomModel, VDomRenderer } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { type Answers, FakeMemory } from '../../__tests__/memory';
import { PSEUDO, untranslated } from '../../__tests__/pseudo';
import { until } from '../../__tests__/rendering';
import { gib, message } from '../../__tests__/report';
import { REPLIES, SAMPLE } from '../../__tests__/samples';
import {
  RANK,
  RANK_GPU,
  RANKS,
  UNMEASURED,
  WORKER_RELEASED,
  workersWith
} from '../../__tests__/workers';
import { PackMissing } from '../../kernel/laterpacks';
import type {
  IGpuWorker,
  IFollowed,
  IReplies,
  IWorkerGpu
} from '../../protocol';
import { WorkersSection } from '../section';
import { Workers } from '../workers';

const english = { trans: nullTranslator.load('gpu-headroom') };

const DASK: IFollowed = { ...UNMEASURED, live: 40, state: 'measured' };

const DASK_WORKER: IGpuWorker = {
  ...RANK,
  id: 'dask:a',
  engine: 'dask',
  name: 'gpu-a',
  rank: null,
  execution_count: null,
  actions: ['free'],
  in_use_bytes: gib(2)
};

function gpuOf(
  worker: Partial<IGpuWorker>,
  change: Partial<IWorkerGpu> = {}
): IWorkerGpu {
  return { ...RANK_GPU, workers: [{ ...RANK, ...worker }], ...change };
}

/** The section on its own. */
class Section extends VDomRenderer<VDomModel> {
  constructor(
    private readonly _workers: Workers,
    readonly offers: { mayMeasure: boolean; trans: TranslationBundle }
  ) {
    super(new VDomModel());
    _workers.changed.connect(() => {
      this.model.stateChanged.emit();
    });
  }

  protected override render(): React.JSX.Element {
    return (
      <WorkersSection
        workers={this._workers}
        isStale={false}
        {...this.offers}
      />
    );
  }
}

describe('the section of workers', () => {
  let answers: Answers;
  let memory: FakeMemory;
  let workers: Workers;
  let section: Section;
  let answer: IReplies['workers'];
  let offers: Section['offers'];

  const all = (selector: string): HTMLElement[] => [
    ...section.node.querySelectorAll<HTMLElement>(selector)
  ];

  const text = (): string => section.node.textContent ?? '';

  const rows = (): string[] => all('li').map(row => row.textContent ?? '');

  const button = (label: string): HTMLButtonElement | undefined =>
    [...document.querySelectorAll<HTMLButtonElement>('button')].find(
      ({ textContent }) => textContent === label
    );

  const expectText = async (words: string): Promise<void> => {
    await until(() => text().includes(words));
    expect(text()).toContain(words);
  };

  const press = async (label: string): Promise<void> => {
    await until(() => button(label) !== undefined);
    button(label)?.click();
  };

  const dialog = (): HTMLElement | null =>
    document.querySelector('.jp-Dialog-content');

  const expectDialog = async (words: string): Promise<void> => {
    const read = (): string => dialog()?.textContent ?? '';
    await until(() => read().includes(words));
    expect(read()).toContain(words);
  };

  const asked = (kind: string): unknown[] =>
    memory.requests.filter(([type]) => type === kind).map(([, args]) => args);

  /** Show a reading of engines and GPUs. */
  const show = async (
    engines: readonly IFollowed[],
    gpus: readonly IWorkerGpu[] = [],
    change: Partial<IReplies['workers']> = {}
  ): Promise<void> => {
    const followed = workersWith({ engines: [...engines] });
    answer = {
      ...REPLIES.workers,
      workers: followed,
      gpus: [...gpus],
      total: gpus.flatMap(gpu => gpu.workers).length,
      ...change
    };
    memory.set({ sample: { ...SAMPLE, workers: followed } });
    section = new Section(workers, offers);
    Widget.attach(section, document.body);
    workers.show();
    await until(() => workers.answer !== null && section.node.innerHTML !== '');
    const before = section.renderPromise;
    section.update();
    await until(() => section.renderPromise !== before);
    await section.renderPromise;
  };

  beforeEach(() => {
    answers = {
      workers: () => Promise.resolve(answer),
      follow: () => Promise.resolve({}),
      worker_release: () => Promise.resolve({ status: 'queued' as const })
    };
    memory = new FakeMemory(answers);
    workers = new Workers(memory);
    offers = { mayMeasure: true, ...english };
  });

  afterEach(() => {
    section.dispose();
    workers.dispose();
  });

  it('should show workers and their GPUs, the fullest first', async () => {
    const other = gpuOf(
      { id: 'rank:0', rank: 0, left_over: true, in_use_bytes: gib(3) },
      { id: 'GPU-1', index: 0, used_bytes: null, capacity_bytes: null }
    );
    const far = gpuOf(DASK_WORKER, { id: 'GPU-9' });
    await show([RANKS], [RANK_GPU, other, far]);
    expect(rows()).toEqual([
      'rank 1 In [4]9.0 GiBEnd…GPU 19.8 of 14.7 GiB',
      'rank 0 still running after In [4]3.0 GiBEnd…GPU 0not measured',
      'gpu-a 2.0 GiBFreeGPU 1, node19.8 of 14.7 GiB'
    ]);
    expect(all('span.jp-mod-name').map(({ title }) => title)).toEqual(
      Array(3).fill('Process 4712 on node1. Cached, unused: 0.5 GiB.')
    );
    expect(all('.jp-GpuHeadroom-engine')).toEqual([]);
    expect(
      all('[role=img]').map(
        each => each.ariaLabel ?? each.getAttribute('aria-label')
      )
    ).toEqual(
      Array(2).fill(
        'GPU memory: in tensors 9.0 GiB, unused cache 0.5 GiB, outside 0.8 GiB, free 4.4 GiB, of 14.7 GiB'
      )
    );
    expect(all('input')).toEqual([]);
    expect(text()).not.toContain('more');
  });

  it('should gray out what has not reported', async () => {
    await show(
      [RANKS],
      [
        gpuOf({ state: 'ended', age_s: 12.2, actions: [] }),
        gpuOf({ state: 'stale', age_s: 70, actions: [] }, { id: 'GPU-1' })
      ]
    );
    expect(
      all('.jp-mod-ended, .jp-mod-stale').map(row => row.textContent)
    ).toEqual([
      'rank 1 ended, 12 s ago9.0 GiBGPU 19.8 of 14.7 GiB',
      'rank 1 last answer 1 min ago9.0 GiBGPU 19.8 of 14.7 GiB'
    ]);
  });

  it('should find workers by name where there are many', async () => {
    await show([DASK], [gpuOf(DASK_WORKER)], { total: 900 });
    expect(text()).toContain('899 more workers, on less full GPUs.');
    const field = all('input')[0] as HTMLInputElement;
    const set = Object.getOwnPropertyDescriptor(
      HTMLInputElement.prototype,
      'value'
    )?.set;
    set?.call(field, 'gpu-z');
    answer = { ...answer, gpus: [], total: 0 };
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await expectText('No worker has this name.');
    expect(asked('workers').pop()).toEqual({ filter: 'gpu-z' });
    expect(field.value).toBe('gpu-z');
    expect(text()).not.toContain('more');
  });

  it.each<[Partial<IFollowed>, string]>([
    [{}, '40 Dask workers: not measured.'],
    [{ engine: 'ray', total: 0 }, 'Workers of ray: not measured.'],
    [{ state: 'following' }, '40 Dask workers: starting the helper there…'],
    [
      { state: 'silent', silent_s: null },
      '40 Dask workers: no answer for 0 s.'
    ],
    [
      { engine: 'rank', total: 2, state: 'silent', silent_s: 4 },
      '2 ranks: no answer for 4 s.'
    ],
    [{ state: 'measured', live: 40 }, '40 Dask workers: measured.'],
    [{ state: 'measured', live: 38 }, '40 Dask workers, 38 of them measured.'],
    [
      { message: message('follow.refused') },
      '40 Dask workers: not measured. English of follow.refused'
    ]
  ])('should show the state of an engine (%#)', async (change, words) => {
    await show([{ ...UNMEASURED, ...change }]);
    await expectText(words);
  });

  it('should have workers measured with one click, and stop with another', async () => {
    await show([UNMEASURED]);
    await press('Measure all');
    await until(() => asked('follow').length === 1);
    expect(asked('follow')).toEqual([{ engine: 'dask', follow: true }]);
    const engines = [{ ...UNMEASURED, live: 40, state: 'measured' as const }];
    answer = { ...answer, workers: workersWith({ engines }) };
    workers.refresh();
    await press('Stop measuring');
    await until(() => asked('follow').length === 2);
    expect(asked('follow').pop()).toEqual({ engine: 'dask', follow: false });
  });

  it('should offer nothing that is disabled, or not needed', async () => {
    offers.mayMeasure = false;
    const notAsked = { ...RANKS, state: 'not_measured', live: 0 } as const;
    await show([UNMEASURED, notAsked]);
    expect(all('button')).toEqual([]);
    section.dispose();
    await show([RANKS, { ...DASK, state: 'following' }]);
    expect(all('button')).toEqual([]);
  });

  it('should free memory of a worker, and show the result', async () => {
    await show([DASK], [gpuOf(DASK_WORKER)]);
    await press('Free');
    await until(() => asked('worker_release').length === 1);
    expect(asked('worker_release')).toEqual([
      { worker_id: 'dask:a', action: 'free' }
    ]);
    await expectText('Freeing memory of gpu-a…');
    expect(button('Free')?.getAttribute('aria-disabled')).toBe('true');
    memory.send({ ...WORKER_RELEASED, request_id: '1' });
    await expectText('worker.freed');
    expect(all('[role=status] .jp-mod-check')).toHaveLength(1);
  });

  it('should end a worker only after confirmation', async () => {
    await show([RANKS], [gpuOf({ left_over: true })]);
    expect(button('End…')?.getAttribute('aria-label')).toBe('End rank 1…');
    await press('End…');
    await expectDialog('End rank 1?');
    await expectDialog(
      'Unsaved work is lost. This frees 9.5 GiB of GPU memory'
    );
    await press('Cancel');
    await until(() => dialog() === null);
    expect(asked('worker_release')).toEqual([]);
    await press('End…');
    await expectDialog('End rank 1?');
    await press('End');
    await until(() => asked('worker_release').length === 1);
    expect(asked('worker_release')).toEqual([
      { worker_id: RANK.id, action: 'end' }
    ]);
  });

  it('should show data of workers as text', async () => {
    await show([DASK], [gpuOf({ ...DASK_WORKER, name: '<b>x</b>' })]);
    expect(rows()[0]).toContain('<b>x</b>');
    expect(all('b')).toEqual([]);
  });

  it('should show why no reply arrived', async () => {
    await show([RANKS], [RANK_GPU]);
    answers.workers = () => Promise.reject(new Error('The helper says no.'));
    workers.refresh();
    await expectText('The helper says no.');
    expect(button('Try again')).toBeUndefined();
  });

  it('should try again on a click if the helper lacks a pack', async () => {
    await show([RANKS], [RANK_GPU]);
    const start = jest.spyOn(memory, 'start');
    const { workers: known } = answers;
    answers.workers = () =>
      Promise.reject(new PackMissing('A part is missing.'));
    workers.refresh();
    await expectText('A part is missing.');
    answers.workers = known;
    await press('Try again');
    await until(() => !text().includes('A part is missing.'));
    expect(start).toHaveBeenCalledTimes(1);
    expect(text()).not.toContain('A part is missing.');
  });

  it('should have no word that is not translated', async () => {
    offers.trans = PSEUDO;
    await show(
      [
        RANKS,
        UNMEASURED,
        { ...DASK, engine: 'ray', state: 'silent', silent_s: 12 },
        { ...DASK, engine: 'ipyparallel', state: 'following' }
      ],
      [gpuOf({ left_over: true }), gpuOf({ state: 'ended' }, { id: 'GPU-3' })],
      { total: 5 }
    );
    await until(() => rows().length > 0);
    expect(untranslated(section.node, ['node1', 'Tesla T4', 'In [4]'])).toEqual(
      []
    );
  });
});
