/**
 * All texts and numbers that views derive from a state, and whether they can be shown.
 */
import { nullTranslator } from '@jupyterlab/translation';

import { partsOf } from '../../components/bar';
import { explainDeath, deathOf } from '../../memory/death';
import { usedAt } from '../../memory/history';
import { bySize, gainOf, isCovered, isListed } from '../../memory/items';
import { levelIn } from '../../memory/level';
import { staleness } from '../../memory/model';
import { NO_MEMO, readGauge, remember, settle } from '../../memory/reading';
import * as gaugeWords from '../../memory/readingwords';
import { areaOf, scaleOf, stretches } from '../../memory/scale';
import type { IMemoryState } from '../../memory/state';
import { clockOf, timelineOf } from '../../memory/timeline';
import * as timelineWords from '../../memory/timelinewords';
import { groupParts, segmentsOf, sortRows } from '../../panel/rows';
import * as panelWords from '../../panel/words';
import type { Event, IHolders, IMessage, IPlan } from '../../protocol';
import * as releaseWords from '../../release/words';
import { words } from '../../text/messages';
import { nameDevice, nameSize } from '../../text/names';

const trans = nullTranslator.load('gpu-headroom');

/** Texts and numbers that a view would show. */
export type Shown = string | number | null;

/** Text that must never be shown. */
const UNREADABLE = /NaN|undefined|Infinity|Invalid Date|\[object/;

/** The values that must not be shown as they are. */
export function unreadable(shown: readonly Shown[]): Shown[] {
  return shown.filter(each =>
    typeof each === 'number'
      ? !Number.isFinite(each)
      : each !== null && UNREADABLE.test(each)
  );
}

/** Content of the gauge and the timelines for a state. */
export function viewsOf(state: IMemoryState, now: number): Shown[] {
  return [
    ...gaugeOf(state, now),
    ...timelinesOf(state, now),
    explainDeath(deathOf(state, now), trans),
    releaseWords.nameRunning(state, trans),
    staleness(state, now)
  ];
}

/** Content that views show for an event. */
export function wordsOf(event: Event, state: IMemoryState): Shown[] {
  const said =
    'message' in event && event.message ? [sentence(event.message)] : [];
  switch (event.type) {
    case 'holders':
      return [...said, ...holdersOf(event)];
    case 'plan':
      return [...said, ...planOf(event, state)];
    case 'path':
      return [...said, ...event.paths.flat().map(sentence)];
    default:
      return said;
  }
}

function sentence(message: IMessage): string {
  return words(trans).sentence(message);
}

function gaugeOf(state: IMemoryState, now: number): Shown[] {
  const first = readGauge(state, NO_MEMO, now);
  const memo = remember(NO_MEMO, first, now);
  const reading = settle(readGauge(state, memo, now), memo, now);
  const devices = state.sample?.devices ?? [];
  return [
    gaugeWords.textOf(reading, trans, false),
    gaugeWords.textOf(reading, trans, true),
    gaugeWords.wordOf(reading, trans),
    gaugeWords.rankOf(reading, trans),
    gaugeWords.describe(reading, trans),
    ...devices.flatMap(device => [
      nameDevice(device, trans),
      levelIn(state, device),
      ...partsOf(device).map(({ bytes }) => bytes),
      ...device.notes.map(sentence)
    ])
  ];
}

function timelinesOf(state: IMemoryState, now: number): Shown[] {
  const now_s = clockOf(state, now);
  const devices = now_s === null ? [] : (state.sample?.devices ?? []);
  return devices.flatMap(device => {
    const timeline = timelineOf(state, device, now_s ?? 0);
    const scale = scaleOf(timeline, 300, 100);
    const { peak } = timeline;
    return [
      peak && timelineWords.describePeak(peak, trans),
      ...stretches(timeline).map(each => areaOf(each, scale, () => 0, usedAt))
    ];
  });
}

function holdersOf(holders: IHolders): Shown[] {
  return [
    panelWords.describeMoment(holders, trans),
    ...holders.devices.flatMap(device => {
      const rows = device.rows.map(held => panelWords.toRow(held, trans));
      return [
        panelWords.describeSum(device, trans),
        ...sortRows(rows, { column: 'name', isAscending: true }).flatMap(
          ({ held, kind, made, name }) => [
            name,
            kind,
            made,
            panelWords.describeHolder(held, trans),
            panelWords.describeShare(held.bytes, device.in_use_bytes, trans),
            ...segmentsOf(held).map(({ bytes }) => bytes),
            ...groupParts(held.parts).map(({ bytes }) => bytes),
            ...held.parts.map(panelWords.describeShape)
          ]
        )
      ];
    })
  ];
}

function planOf({ items, shared }: IPlan, state: IMemoryState): Shown[] {
  const devices = state.sample?.devices ?? [];
  const listed = bySize(items.filter(isListed));
  const chosen = listed.filter(item => !isCovered(item, items));
  return [items, listed, chosen].flatMap(choice => {
    const gain = gainOf(choice, shared);
    return [
      gain.freed_bytes < 0 ? NaN : gain.freed_bytes,
      gain.returned_bytes,
      releaseWords.nameFree(gain, trans),
      releaseWords.nameConsent(choice, trans),
      releaseWords.describeOutlook(gain, devices, trans),
      ...choice.flatMap(item => [
        nameSize(item.expected_bytes, trans),
        sentence(item.title),
        sentence(item.cost)
      ])
    ];
  });
}
