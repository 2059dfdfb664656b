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
  HOST,
  RANK,
  RANK_CARD,
  RANKS,
  UNMEASURED,
  WORKER_RELEASED,
  workersWith
} from '../../__tests__/workers';
import { PackMissing } from '../../kernel/laterpacks';
import type {
  ICardWorker,
  IFollowed,
  IReplies,
  IWorkerCard,
  RequestArgs,
  WorkerAction
} from '../../protocol';
import { WorkersSection } from '../section';
import { Workers } from '../workers';

const english = { trans: nullTranslator.load('gpu-headroom') };

const DASK: IFollowed = { ...UNMEASURED, live: 40, state: 'measured' };

const DASK_WORKER: ICardWorker = {
  ...RANK,
  id: 'dask:a',
  engine: 'dask',
  name: 'gpu-a',
  rank: null,
  execution_count: null,
  actions: ['free', 'restart'],
  in_use_bytes: gib(2)
};

function cardOf(
  worker: Partial<ICardWorker>,
  change: Partial<IWorkerCard> = {}
): IWorkerCard {
  return { ...RANK_CARD, workers: [{ ...RANK, ...worker }], ...change };
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

  const rows = (): string[] =>
    all('[role=row]').map(row => row.textContent ?? '');

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

  /** What was asked of workers but what it would cost. */
  const done = (): unknown[] =>
    memory.requests
      .filter(([type]) => type === 'worker_release')
      .map(([, args]) => args as RequestArgs<'worker_release'>)
      .filter(({ action }) => action !== 'price');

  /** Show what is told of engines and cards. */
  const show = async (
    engines: readonly IFollowed[],
    cards: readonly IWorkerCard[] = [],
    change: Partial<IReplies['workers']> = {}
  ): Promise<void> => {
    const told = workersWith({ engines: [...engines] });
    answer = {
      ...REPLIES.workers,
      workers: told,
      cards: [...cards],
      ...change
    };
    memory.set({ sample: { ...SAMPLE, workers: told } });
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

  it('should show cards with their workers, the fullest first', async () => {
    const second = cardOf(
      { id: 'rank:0', rank: 0, in_use_bytes: gib(3) },
      { id: 'GPU-1', index: 0, used_bytes: null, capacity_bytes: null }
    );
    await show([RANKS], [RANK_CARD, second]);
    expect(rows()).toEqual([
      'GPU 1GPU 1Tesla T49.8 of 14.7 GiB',
      'rank 1In [4]9.0 GiB',
      'GPU 0GPU 0Tesla T4not measured',
      'rank 0In [4]3.0 GiB'
    ]);
    expect(all('.jp-GpuHeadroom-engine')).toEqual([]);
    expect(
      all('[role=img]').map(
        each => each.ariaLabel ?? each.getAttribute('aria-label')
      )
    ).toEqual([
      'GPU memory: by workers in tensors 9.0 GiB, unused cache 0.5 GiB, outside them 0.8 GiB, of 14.7 GiB'
    ]);
  });

  it('should show what is known of a worker, and what can be done', async () => {
    await show([RANKS], [RANK_CARD]);
    all('.jp-GpuHeadroom-worker')[0]?.click();
    await expectText(
      'Process 4712 on node1. Started by In [4]. Cached, unused: 0.5 GiB.'
    );
    expect(button('End…')).toBeDefined();
    expect(button('Free')).toBeUndefined();
  });

  it('should grey what has not been heard of', async () => {
    await show(
      [RANKS],
      [
        cardOf({ state: 'ended', age_s: 12.2 }),
        cardOf({ state: 'stale', age_s: 70 }, { id: 'GPU-1', more_workers: 3 })
      ]
    );
    expect(
      all('.jp-mod-ended, .jp-mod-stale').map(row => row.textContent)
    ).toEqual([
      'rank 1ended, 12 s ago9.0 GiB',
      'rank 1last heard of 1 min ago9.0 GiB'
    ]);
    expect(rows().pop()).toBe('and 3 workers');
  });

  it('should be walked by keys', async () => {
    await show([RANKS], [RANK_CARD]);
    const [card, rank] = all('[role=row]');
    expect(all('[role=row][tabindex="0"]')).toEqual([card]);
    card?.focus();
    const key = (name: string): void => {
      const event = { key: name, bubbles: true, cancelable: true };
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', event)
      );
    };
    key('ArrowDown');
    expect(document.activeElement).toBe(rank);
    key('ArrowRight');
    await expectText('Process 4712 on node1.');
    expect(rank?.getAttribute('aria-expanded')).toBe('true');
    key('ArrowLeft');
    await until(() => !text().includes('Process'));
    expect(text()).not.toContain('Process');
  });

  it('should show one host at a time', async () => {
    const other = { ...HOST, name: 'node2', cards: 8, fullest_share: null };
    answers.workers = args => {
      const { host } = args as { host: string | null };
      const cards = answer.cards.filter(each => !host || each.host === host);
      return Promise.resolve({ ...answer, cards });
    };
    await show(
      [DASK],
      [
        cardOf(DASK_WORKER),
        cardOf(DASK_WORKER, { id: 'GPU-9', host: 'node2' })
      ],
      { hosts: [HOST, other], more_hosts: 5 }
    );
    await expectText('gpu-a');
    expect(rows()).toEqual([
      'node12 GPUs, 2 workersfullest 66%',
      'GPU 1GPU 1Tesla T49.8 of 14.7 GiB',
      'gpu-a2.0 GiB',
      'node28 GPUs, 2 workers'
    ]);
    expect(text()).toContain('There are 5 more hosts, less full than these.');
    all('.jp-GpuHeadroom-host')[1]?.click();
    await until(
      () => rows()[1]?.startsWith('node2') === true && rows().length === 4
    );
    expect(rows()[2]).toContain('GPU 1');
    all('.jp-GpuHeadroom-host')[1]?.click();
    await until(() => rows().length === 2);
    expect(rows()).toHaveLength(2);
  });

  it('should find cards by name where there are many', async () => {
    const cards = [cardOf(DASK_WORKER)];
    await show([DASK], cards, {
      hosts: [{ ...HOST, cards: 900 }],
      more_cards: 884
    });
    const field = all('input')[0] as HTMLInputElement;
    const set = Object.getOwnPropertyDescriptor(
      HTMLInputElement.prototype,
      'value'
    )?.set;
    set?.call(field, 'gpu-z');
    answer = { ...answer, cards: [], more_cards: 0 };
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await expectText('Nothing is called so.');
    expect(asked('workers').pop()).toMatchObject({ filter: 'gpu-z' });
    expect(field.value).toBe('gpu-z');
  });

  it('should turn to the cards behind, and back', async () => {
    const cards = Array.from({ length: 16 }, (_, index) =>
      cardOf(DASK_WORKER, { id: `GPU-${index}` })
    );
    await show([DASK], cards, { more_cards: 812 });
    await press('812 more');
    await until(() => asked('workers').length === 2);
    expect(asked('workers').pop()).toMatchObject({ offset: 16 });
    await press('16 fuller');
    await until(() => asked('workers').length === 3);
    expect(asked('workers').pop()).toMatchObject({ offset: 0 });
  });

  it('should not have more to find than there is', async () => {
    await show([RANKS], [RANK_CARD]);
    expect(all('input')).toEqual([]);
    expect(text()).not.toContain('more');
  });

  it.each<[Partial<IFollowed>, string]>([
    [{}, '40 Dask workers: not measured.'],
    [{ engine: 'ray', total: 0 }, 'Ray workers: not measured.'],
    [
      { state: 'following' },
      '40 Dask workers: the helper is on its way to them…'
    ],
    [
      { state: 'silent', silent_s: 12 },
      'The Dask scheduler has not answered for 12 s.'
    ],
    [
      { engine: 'ray', state: 'silent', silent_s: 130 },
      'Ray has not answered for 2 min.'
    ],
    [
      { engine: 'ipyparallel', state: 'silent', silent_s: null },
      'The controller of ipyparallel has not answered for 0 s.'
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
  ])('should say how it stands with an engine (%#)', async (change, words) => {
    await show([{ ...UNMEASURED, ...change }]);
    await expectText(words);
  });

  it('should have workers measured with one click, and stop with another', async () => {
    await show([UNMEASURED]);
    await press('Measure them');
    await until(() => asked('follow').length === 1);
    expect(asked('follow')).toEqual([{ engine: 'dask', follow: true }]);
    const engines = [{ ...UNMEASURED, live: 40, state: 'measured' as const }];
    answer = { ...answer, workers: workersWith({ engines }) };
    workers.refresh();
    await press('Stop measuring');
    await until(() => asked('follow').length === 2);
    expect(asked('follow').pop()).toEqual({ engine: 'dask', follow: false });
  });

  it('should offer nothing that is not wanted, or not needed', async () => {
    offers.mayMeasure = false;
    const notAsked = { ...RANKS, state: 'not_measured', live: 0 } as const;
    await show([UNMEASURED, notAsked]);
    expect(all('button')).toEqual([]);
    section.dispose();
    await show([RANKS, { ...DASK, state: 'following' }]);
    expect(all('button')).toEqual([]);
  });

  it('should free memory of a worker, and tell what came of it', async () => {
    await show([DASK], [cardOf(DASK_WORKER)]);
    all('.jp-GpuHeadroom-worker')[0]?.click();
    await press('Free');
    await until(() => asked('worker_release').length === 1);
    expect(asked('worker_release')).toEqual([
      { worker_id: 'dask:a', action: 'free' }
    ]);
    expect(button('Free')?.getAttribute('aria-disabled')).toBe('true');
    await expectText('Freeing memory of gpu-a…');
    memory.send({ ...WORKER_RELEASED, request_id: '1' });
    await expectText('worker.freed');
    expect(all('[role=status] .jp-mod-check')).toHaveLength(1);
  });

  it.each([
    ['Restart…', 'Restart gpu-a?', 'Restart', 'restart', DASK_WORKER],
    ['End…', 'End rank 1?', 'End', 'end', RANK],
    [
      'Restart…',
      'Restart actor?',
      'Restart',
      'restart',
      { ...DASK_WORKER, engine: 'ray', name: 'actor' }
    ]
  ] as const)(
    'should %s only after a question',
    async (label, title, agree, action, worker) => {
      await show([DASK], [cardOf(worker)]);
      all('.jp-GpuHeadroom-worker')[0]?.click();
      await press(label);
      await expectDialog(title);
      await expectDialog('of GPU memory come back.');
      await expectDialog('lost');
      await press('Cancel');
      await until(() => dialog() === null);
      expect(done()).toEqual([]);
      await press(label);
      await expectDialog(title);
      await press(agree);
      await until(() => done().length === 1);
      expect(done()).toEqual([{ worker_id: worker.id, action }]);
    }
  );

  it('should name what a restart loses', async () => {
    await show([DASK], [cardOf(DASK_WORKER)]);
    all('.jp-GpuHeadroom-worker')[0]?.click();
    await press('Restart…');
    await until(() => asked('worker_release').length === 1);
    expect(dialog()).toBeNull();
    memory.send({
      ...WORKER_RELEASED,
      request_id: '1',
      action: 'price',
      message: message('worker.price')
    });
    await expectDialog('worker.price The tasks that run there begin again.');
    await press('Cancel');
    await until(() => dialog() === null);
  });

  it('should free all that are idle, where there are several', async () => {
    await show([DASK], [cardOf(DASK_WORKER)]);
    await press('Free all that are idle');
    await until(() => asked('worker_release').length === 1);
    expect(asked('worker_release')).toEqual([
      { worker_id: 'dask:*', action: 'free' }
    ]);
  });

  it.each([
    ['one that says all itself', { total: 1 }, {}],
    ['none that is idle', {}, { actions: ['restart'] }]
  ] as const)(
    'should not free all of %s',
    async (_, engine, change: { actions?: readonly WorkerAction[] }) => {
      const { actions = DASK_WORKER.actions } = change;
      await show(
        [{ ...DASK, ...engine }],
        [cardOf({ ...DASK_WORKER, actions: [...actions] })]
      );
      expect(button('Free all that are idle')).toBeUndefined();
    }
  );

  it('should end ranks that outlive their cell, each once', async () => {
    const left = {
      ...RANK,
      left_over: true,
      in_use_bytes: gib(1),
      cached_bytes: 0
    };
    const zero = { ...left, id: 'rank:0', rank: 0 };
    await show(
      [{ ...RANKS, left_over: 2 }],
      [cardOf(left), cardOf(zero, { id: 'GPU-1', workers: [zero, left] })]
    );
    await expectText('2 ranks of In [4] still run and hold 3.0 GiB.');
    await press('End them…');
    await expectDialog('End 2 ranks?');
    await expectDialog(
      'What is not saved is lost. 3.0 GiB of GPU memory come back.'
    );
    await press('End');
    await until(() => asked('worker_release').length === 1);
    memory.send({ ...WORKER_RELEASED, request_id: '1' });
    await until(() => asked('worker_release').length === 2);
    expect(asked('worker_release')).toEqual([
      { worker_id: RANK.id, action: 'end' },
      { worker_id: 'rank:0', action: 'end' }
    ]);
  });

  it('should not name a cell or a size that is not known', async () => {
    await show([{ ...RANKS, left_over: 1 }]);
    await expectText('1 rank still runs though its cell has ended.');
    expect(button('End them…')).toBeUndefined();
  });

  it('should show what comes from workers as text', async () => {
    await show([DASK], [cardOf({ ...DASK_WORKER, name: '<b>x</b>' })]);
    expect(rows()[1]).toContain('<b>x</b>');
    expect(all('b')).toEqual([]);
  });

  it('should say why no answer came', async () => {
    await show([RANKS], [RANK_CARD]);
    answers.workers = () => Promise.reject(new Error('The helper says no.'));
    workers.refresh();
    await expectText('The helper says no.');
    expect(button('Try again')).toBeUndefined();
  });

  it('should try again on a click where the helper lacks what it needs', async () => {
    await show([RANKS], [RANK_CARD]);
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
    const host = { ...HOST, name: 'node2', cards: 40 };
    await show(
      [
        { ...RANKS, left_over: 1 },
        UNMEASURED,
        { ...DASK, engine: 'ray', state: 'silent', silent_s: 12 },
        { ...DASK, engine: 'ipyparallel', state: 'following' }
      ],
      [
        cardOf({ left_over: true }, { more_workers: 2 }),
        cardOf({ state: 'ended' }, { id: 'GPU-3' })
      ],
      { hosts: [HOST, host], more_hosts: 3, more_cards: 5 }
    );
    await until(() => all('.jp-GpuHeadroom-worker').length > 0);
    for (const row of all('.jp-GpuHeadroom-worker')) {
      row.click();
    }
    await until(() => all('.jp-GpuHeadroom-workerDetail').length > 0);
    expect(
      untranslated(section.node, ['node1', 'node2', 'Tesla T4', 'In [4]'])
    ).toEqual([]);
  });
});
