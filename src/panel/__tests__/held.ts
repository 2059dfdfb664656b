import { gib, message } from '../../__tests__/report';
import { DEVICE, HOLDERS } from '../../__tests__/samples';
import type {
  IDevice,
  IHeld,
  IHeldDevice,
  IHeldPart,
  IHolders,
  IProcess
} from '../../protocol';
import type { PanelModel } from '../model';
import * as core from '../sections';

/** A part of a holder; by default a tensor of a quarter GiB. */
export function makePart(change: Partial<IHeldPart> = {}): IHeldPart {
  return {
    id: `part:${change.name ?? ''}`,
    name: '',
    kind: 'tensor',
    framework: 'torch',
    bytes: gib(0.25),
    graph: false,
    dtype: 'float32',
    shape: [8192, 8192],
    allocation_site: null,
    ...change
  };
}

/** A holder; by default a name of one tensor. */
export function makeHeld(name: string, change: Partial<IHeld> = {}): IHeld {
  return {
    id: `name:${name}`,
    name,
    origin: 'names',
    kind: 'tensor',
    type_name: 'Tensor',
    bytes: gib(0.25),
    graph_bytes: 0,
    count: 1,
    aliases: [],
    parts: [makePart()],
    hint: null,
    ...change
  };
}

const HISTORY = [0, 1, 2, 3].map(index =>
  makePart({ name: `[${index}]`, bytes: gib(0.5), graph: true })
);

/** A training: the model, its optimizer, and losses with their graphs. */
export const ROWS: readonly IHeld[] = [
  makeHeld('history', {
    kind: 'activations',
    type_name: 'list',
    bytes: gib(2),
    graph_bytes: gib(2),
    count: 4,
    aliases: ['losses'],
    parts: HISTORY,
    hint: message('hint.retained_graph')
  }),
  makeHeld('optimizer', {
    kind: 'optimizer_state',
    type_name: 'AdamW',
    bytes: gib(1)
  }),
  makeHeld('model', {
    kind: 'mixed',
    type_name: 'Sequential',
    bytes: gib(1),
    count: 2,
    parts: [
      makePart({ name: '.0.weight', kind: 'parameters', bytes: gib(0.5) }),
      makePart({ name: '.0.weight.grad', kind: 'gradients', bytes: gib(0.5) })
    ]
  }),
  makeHeld('In [7]', {
    id: 'traceback:7',
    origin: 'traceback',
    bytes: gib(0.5)
  }),
  makeHeld('', { id: 'object:1', origin: 'elsewhere' })
];

/** Their parts, with a given amount in workspaces of cuBLAS. */
export function makeParts(workspaces: number): IHeldDevice['parts'] {
  return [
    { kind: 'named', bytes: gib(2.5) },
    { kind: 'graphs', bytes: gib(2) },
    { kind: 'unnamed', bytes: gib(0.25) },
    { kind: 'workspaces', bytes: workspaces },
    { kind: 'not_attributed', bytes: gib(0.25) - workspaces }
  ];
}

/** The measurement of these rows on one device. */
export function makeHolders(
  change: Partial<IHolders> = {},
  processes: IProcess[] | null = null
): IHolders {
  return {
    ...HOLDERS,
    request_id: '1',
    execution_count: 6,
    recording: false,
    devices: [
      {
        device_index: 0,
        in_use_bytes: gib(5),
        parts: makeParts(0),
        rows: [...ROWS],
        processes
      }
    ],
    ...change
  };
}

/** Two GPUs, the second one nearly empty. */
export const TWO_DEVICES: readonly IDevice[] = [
  DEVICE,
  {
    ...DEVICE,
    index: 1,
    uuid: 'GPU-2',
    in_use_bytes: gib(0.1),
    used_bytes: gib(0.4),
    outside_bytes: gib(0.3),
    headroom_bytes: gib(14.3)
  }
];

/** Add the sections of the panel's own, loaded. */
export function addSections({ sections }: PanelModel): void {
  for (const section of Object.values(core)) {
    sections.add(() => Promise.resolve(section));
  }
}
