import { element, inline } from '../frame/element';
import { icon, type IconName } from '../frame/icons';
import {
  NO_MEMO,
  type IMemo,
  type Reading,
  readGauge,
  remember,
  settle
} from '../gauge/reading';
import { describe, formatAge, textOf } from '../gauge/words';
import { fillingIn, levelIn } from '../kernel/level';
import type { IDevice } from '../protocol';
import { clockOf, timelineOf, trendOf } from '../timeline/timeline';
import { describeTrend } from '../timeline/words';
import { button } from './button';
import { chart } from './chart';
import { compactLine } from './compact';
import type { Connection, IListener } from './connection';
import { deviceNumbers } from './device';
import { Freeing } from './freeing';
import { type Inserting, selectRefused } from './inserting';
import { redraw } from './redraw';
import { trans } from './translation';

/** Devices drawn at most. */
const MAX_DEVICES = 16;

/** Of a chart, where the width of its place is not known. */
const WIDTH_PX = 600;

/** Around what stands in the gauge, on both sides together, in pixels. */
const PADDING_PX = 34;

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
    this._freeing = new Freeing(_connection, inserting, () => {
      this.onChange();
      selectRefused(this._host);
    });
    _connection.listener = this;
    this._recall();
  }

  onEvent(): void {
    // All that a gauge shows of events is in the connection's state.
  }

  onChange(): void {
    const { lifeId, link, state } = this._connection;
    if (lifeId === null || link === 'opening') {
      return;
    }
    if (this._life !== null && this._life !== lifeId) {
      this._recall();
    }
    this._life = lifeId;
    const now = Date.now();
    const read = readGauge(state, this._memo, now);
    this._memo = remember(this._memo, read, now);
    this._draw(settle(read, this._memo, now), now);
  }

  /** Learn of the minutes before. */
  private _recall(): void {
    this._connection
      .ask('history', {})
      .result.then(reply => {
        if (reply.type === 'history') {
          this._connection.recall(reply.points);
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
    const { link, state } = this._connection;
    const isOld = link === 'lost' || link === 'restarted';
    this._section.classList.toggle('jp-mod-compact', this._isCompact);
    this._section.classList.toggle('jp-mod-stale', isOld);
    const devices = this._devices;
    const age =
      state.sampleAt_ms === null
        ? ''
        : trans.__('updated %1', formatAge(now - state.sampleAt_ms, trans));
    const open = this._opener;
    redraw(
      this._section,
      ...(this._isCompact
        ? [compactLine(reading, age, open)]
        : this._full(reading, devices, age, now)),
      ...this._states(devices),
      this._isCompact ? null : actions(open),
      this._freeing.draw()
    );
  }

  /** The devices as measured, once a framework has begun to use them. */
  private get _devices(): readonly IDevice[] {
    const { sample } = this._connection.state;
    return sample?.state === 'live' ? sample.devices.slice(0, MAX_DEVICES) : [];
  }

  private get _opener(): HTMLElement | null {
    const { link } = this._connection;
    return this._freeing.isOpen || link === 'restarted'
      ? null
      : button(trans.__('Free memory…'), () => {
          this._freeing.open();
        });
  }

  private _full(
    reading: Reading,
    devices: readonly IDevice[],
    age: string,
    now: number
  ): HTMLElement[] {
    const { state } = this._connection;
    if (devices.length === 0 || reading.kind === 'stopped') {
      return [
        element(
          'div',
          'jp-GpuHeadroomLive-head',
          element(
            'h3',
            'jp-GpuHeadroomLive-headline',
            textOf(reading, trans, false) || trans.__('GPU memory')
          ),
          element('p', 'jp-GpuHeadroomLive-aside', age)
        ),
        element('p', '', ...inline(describe(reading, trans)))
      ];
    }
    const clock_s = clockOf(state, now);
    const width = this._host.clientWidth - PADDING_PX;
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
    const { state } = this._connection;
    const level = levelIn(state, device);
    const isFilling = fillingIn(state)?.device_index === device.index;
    return level === 'critical'
      ? 'octagon'
      : level === 'tight' || isFilling
        ? 'triangle'
        : null;
  }

  /** What else there is to say, each with what can be done about it. */
  private _states(devices: readonly IDevice[]): HTMLElement[] {
    const connection = this._connection;
    const { link, state } = connection;
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
    const growing = devices
      .map(device => trendOf(state, device))
      .filter(trend => trend?.state === 'growing')
      .map(trend =>
        trend
          ? line('triangle', describeTrend(trend, state.cell, trans).headline)
          : null
      );
    return [
      ...growing,
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

  private readonly _freeing: Freeing;
  private _section: HTMLElement | null = null;
  private _life: string | null = null;
  private _memo: IMemo = NO_MEMO;
}

function actions(open: HTMLElement | null): HTMLElement | null {
  return (
    open &&
    element(
      'div',
      'jp-GpuHeadroomLive-foot',
      open,
      element(
        'p',
        'jp-GpuHeadroomLive-aside',
        trans.__('Updates while this output is on screen.')
      )
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
