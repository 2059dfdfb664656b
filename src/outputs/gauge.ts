import { element, inline } from '../components/dom/element';
import { icon, type IconName } from '../components/dom/icon';
import { withPoints } from '../memory/history';
import { fillingIn, levelIn } from '../memory/level';
import { INITIAL_STATE, take } from '../memory/model';
import {
  NO_MEMO,
  type IMemo,
  type Reading,
  readLive,
  remember,
  settle
} from '../memory/reading';
import { formatAge, textOf } from '../memory/readingwords';
import type { IMemoryState } from '../memory/state';
import { clockOf, timelineOf } from '../memory/timeline';
import { formatFull } from '../memory/timelinewords';
import type { Event, IDevice } from '../protocol';
import { button } from './button';
import { chart } from './chart';
import { compactLine } from './compact';
import type { Connection, IListener } from './connection';
import { deviceNumbers, head } from './device';
import { Drawer } from './drawer';
import { type Inserting, selectRefused } from './inserting';
import { redraw } from './redraw';
import { trans } from './translation';
import { explain } from './words';

/** Devices drawn at most. */
const MAX_DEVICES = 16;

/** Of a chart, where the width of its place is not known. */
const WIDTH_PX = 600;

/** What is known of a helper that has only just been heard. */
const LIVE: IMemoryState = { ...INITIAL_STATE, phase: 'live' };

/** Around what stands in the gauge, on both sides together, in pixels. */
const PADDING_PX = 32;

/**
 * The live gauge of an output. Until the kernel is heard its place shows what was
 * saved; after that it is never empty again: old numbers are said to be old.
 */
export class Gauge implements IListener {
  constructor(
    private readonly _host: HTMLElement,
    private readonly _connection: Connection,
    inserting: Inserting,
    private readonly _isCompact: boolean
  ) {
    this._drawer = new Drawer(_connection, inserting, () => {
      this.onChange();
      selectRefused(this._host);
    });
    this._recall();
  }

  onLife(): void {
    this._state = LIVE;
    this._memo = NO_MEMO;
    if (this._section) {
      this._recall();
    }
  }

  onEvent(event: Event, now: number): void {
    this._state = take(this._state, event, now);
  }

  onChange(): void {
    if (this._state.sample === null && this._section === null) {
      return;
    }
    const now = Date.now();
    const read = readLive(this._state, now);
    this._memo = remember(this._memo, read, now);
    this._draw(settle(read, this._memo, now), now);
  }

  /** Learn of the minutes before. */
  private _recall(): void {
    this._connection
      .ask('history', {})
      .result.then(reply => {
        if (reply.type === 'history') {
          const history = withPoints(this._state.history, reply.points);
          this._state = { ...this._state, history };
          this.onChange();
        }
      })
      // The line begins with the first reading instead.
      .catch(() => undefined);
  }

  private _draw(reading: Reading, now: number): void {
    if (this._section === null) {
      this._section = element(
        'section',
        'jp-GpuHeadroomCard jp-GpuHeadroomLive'
      );
      this._section.setAttribute('aria-label', trans.__('GPU memory'));
      this._host.replaceChildren(this._section);
    }
    const { link } = this._connection;
    const state = this._state;
    const isOld = link === 'lost' || link === 'restarted';
    this._section.classList.toggle('jp-mod-compact', this._isCompact);
    this._section.classList.toggle('jp-mod-stale', isOld);
    const devices = this._devices;
    const age =
      state.sampleAt_ms === null
        ? ''
        : trans.__('updated %1', formatAge(now - state.sampleAt_ms, trans));
    const offers = this._offers;
    redraw(
      this._section,
      ...(this._isCompact
        ? [compactLine(reading, age, offers)]
        : this._full(reading, devices, age, now)),
      ...this._states(),
      this._isCompact ? null : foot(offers),
      this._drawer.draw()
    );
  }

  /** The devices as measured, once a framework has begun to use them. */
  private get _devices(): readonly IDevice[] {
    const { sample } = this._state;
    return sample?.state === 'live' ? sample.devices.slice(0, MAX_DEVICES) : [];
  }

  /** What a person can ask for, while nothing that was asked for is open. */
  private get _offers(): HTMLElement[] {
    const drawer = this._drawer;
    if (drawer.isOpen || this._connection.link === 'restarted') {
      return [];
    }
    const free = button(
      trans.__('Free memory…'),
      () => {
        drawer.openPlan();
      },
      !this._isCompact
    );
    const look = button(trans.__('What holds it?'), () => {
      drawer.openHolders();
    });
    return this._isCompact ? [free] : [free, look];
  }

  private _full(
    reading: Reading,
    devices: readonly IDevice[],
    age: string,
    now: number
  ): HTMLElement[] {
    const state = this._state;
    if (devices.length === 0 || reading.kind === 'stopped') {
      return [
        head([textOf(reading, trans, false) || trans.__('GPU memory')], [age]),
        element('p', '', ...inline(explain(reading)))
      ];
    }
    const clock_s = clockOf(state, now);
    const width = (this._section?.clientWidth ?? 0) - PADDING_PX;
    return devices.flatMap((device, index) => [
      deviceNumbers(device, this._sign(device), index === 0 ? age : ''),
      ...(clock_s === null
        ? []
        : [
            chart(
              timelineOf(state, device, clock_s),
              width > 0 ? width : WIDTH_PX
            )
          ])
    ]);
  }

  private _sign(device: IDevice): 'triangle' | 'octagon' | null {
    const state = this._state;
    const level = levelIn(state, device);
    const isFilling = fillingIn(state)?.device_index === device.index;
    return level === 'critical'
      ? 'octagon'
      : level === 'tight' || isFilling
        ? 'triangle'
        : null;
  }

  /** What else there is to say, each with what can be done about it. */
  private _states(): HTMLElement[] {
    const connection = this._connection;
    const { link } = connection;
    const state = this._state;
    const goOn = (label: string): HTMLElement =>
      button(label, () => {
        connection.resume();
      });
    if (link === 'lost') {
      const text = trans.__(
        'Not connected: the kernel does not answer. These are its last numbers.'
      );
      return [line('triangle', text, goOn(trans.__('Try again')))];
    }
    if (link === 'restarted') {
      const text = trans.__('The kernel was restarted: run this cell again.');
      return [line('triangle', text, goOn(trans.__('Try again')))];
    }
    const trend = fillingIn(state);
    return [
      trend
        ? line(
            'triangle',
            trans.__(
              'At this rate it is %1.',
              formatFull(trend.full_in_s ?? 0, trans)
            )
          )
        : null,
      state.warning ? line('triangle', state.warning.message.text) : null,
      link === 'paused'
        ? line(
            'clock',
            trans.__('Paused: no cell ran for ten minutes.'),
            goOn(trans.__('Go on'))
          )
        : null
    ].filter(node => node !== null);
  }

  private readonly _drawer: Drawer;
  private _section: HTMLElement | null = null;
  private _state: IMemoryState = LIVE;
  private _memo: IMemo = NO_MEMO;
}

function foot(offers: readonly HTMLElement[]): HTMLElement | null {
  return offers.length === 0
    ? null
    : element(
        'div',
        'jp-GpuHeadroomLive-foot',
        element('div', 'jp-GpuHeadroom-actions', ...offers),
        element(
          'p',
          'jp-GpuHeadroomLive-aside',
          trans.__('Updates while this output is on screen.')
        )
      );
}

function line(
  name: IconName,
  text: string,
  after: HTMLElement | null = null
): HTMLElement {
  const node = element(
    'div',
    'jp-GpuHeadroomLive-state',
    icon(name),
    element('span', '', ...inline(text)),
    after
  );
  node.setAttribute('role', 'status');
  return node;
}
