/**
 * The fullest card of the workers as the session goes, as a timeline shows a device.
 */
import { type History, withReading } from '../memory/history';
import type { IDevice, ISample, IWorkerCard } from '../protocol';

/** What was read of it. */
export interface IRecorded {
  /** The card that was the fullest last. */
  readonly device: IDevice;
  readonly history: History;
}

/** The index of no device of a kernel: what is told of those is not of this card. */
const APART = -1;

/** What was read of the fullest card, with that of one more reading. */
export function withFullest(
  before: IRecorded | null,
  sample: ISample
): IRecorded | null {
  const card = sample.workers?.fullest ?? null;
  if (card === null) {
    return before;
  }
  const device = deviceOf(card);
  const read = { ...sample, devices: [device] };
  return { device, history: withReading(before?.history ?? {}, read) };
}

function deviceOf(card: IWorkerCard): IDevice {
  return {
    index: APART,
    backend: 'cuda',
    name: card.name,
    uuid: card.uuid,
    simulated: card.simulated,
    capacity_bytes: card.capacity_bytes,
    capacity_limited: false,
    shared_with_host: false,
    others_bytes: null,
    free_bytes: null,
    outside_bytes: card.outside_bytes,
    in_use_bytes: card.in_use_bytes,
    cached_bytes: card.cached_bytes,
    used_bytes: card.used_bytes,
    headroom_bytes: null,
    frameworks: [],
    notes: []
  };
}
