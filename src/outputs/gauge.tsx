import * as React from 'react';

import { Buttons, type IButtonProps } from '../components/button';
import { Chart, ChartTitle } from '../components/chart';
import { Sentence } from '../components/sentence';
import { withPoints } from '../memory/history';
import { type Condition, fillingIn, levelIn } from '../memory/level';
import { INITIAL_STATE, take } from '../memory/model';
import {
  NO_MEMO,
  type IMemo,
  type Reading,
  readLive,
  remember,
  settle
} from '../memory/reading';
import { explainGap, formatAge, textOf } from '../memory/readingwords';
import type { IMemoryState } from '../memory/state';
import { clockOf, timelineOf } from '../memory/timeline';
import { describePeak, nameSpan } from '../memory/timelinewords';
import { readWorkers } from '../memory/workers';
import { gaugeOf } from '../memory/workerwords';
import type { Event, IDevice } from '../protocol';
import { CompactLine } from './compactline';
import type { Connection, IListener } from './connection';
import { asideOf, Device, Head } from './device';
import { Drawer } from './drawer';
import { type Inserting, selectRefused } from './inserting';
import { sentenceOf } from './question';
import { States } from './states';
import { trans } from './translation';
import { draw } from './view';

/** Maximum number of devices drawn. */
const MAX_DEVICES = 16;

/** Width of a chart if that of its place is unknown. */
const WIDTH_PX = 600;
const HEIGHT_PX = 104;

/** State of a helper from which nothing but a sign of life has been received. */
const LIVE: IMemoryState = { ...INITIAL_STATE, phase: 'live' };

/** Horizontal padding of the gauge, both sides together, in pixels. */
const PADDING_PX = 32;

/** Outputs of one cell share their document, so ids must differ. */
let count = 0;

/**
 * The live gauge of an output. Until the kernel replies, the saved content is shown;
 * after that there are always readings, stale ones marked as such.
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
  }

  onHelper(): void {
    this._state = LIVE;
    this._memo = NO_MEMO;
  }

  onEvent(event: Event, now: number): void {
    this._state = take(this._state, event, now);
  }

  /** Request the readings of the last minutes. */
  onAgain(): void {
    this._connection
      .ask('history', {})
      .result.then(reply => {
        if (reply.type === 'history') {
          const history = withPoints(this._state.history, reply.points);
          this._state = { ...this._state, history };
          this.onChange();
        }
      })
      // The line then begins with the first reading.
      .catch(sentenceOf);
  }

  onChange(): void {
    if (this._state.sample === null && !this._isDrawn) {
      return;
    }
    const now = Date.now();
    const read = readLive(this._state, now);
    this._memo = remember(this._memo, read, now);
    this._draw(settle(read, this._memo, now), now);
  }

  private _draw(reading: Reading, now: number): void {
    if (!this._isDrawn) {
      // The width is known only once the gauge is rendered.
      draw(this._section(null), this._host);
      this._isDrawn = true;
    }
    const { sampleAt_ms } = this._state;
    const age = asideOf(
      reading.kind === 'idle' ? reading.gpu : null,
      sampleAt_ms === null
        ? ''
        : trans.__('updated %1', formatAge(now - sampleAt_ms, trans))
    );
    const offers = this._offers;
    const read = readWorkers(this._state, now);
    const workers = read && gaugeOf(read, trans);
    draw(
      this._section(
        <>
          {this._isCompact ? (
            <CompactLine
              reading={reading}
              workers={workers}
              age={age}
              offers={offers}
            />
          ) : (
            <>
              {this._full(reading, age, now)}
              {workers && <p>{workers}</p>}
            </>
          )}
          <States connection={this._connection} state={this._state} />
          {!this._isCompact && offers.length > 0 && <Foot offers={offers} />}
          {this._drawer.draw()}
        </>
      ),
      this._host
    );
  }

  private _section(content: React.ReactNode): React.JSX.Element {
    const { link } = this._connection;
    const isOld = link === 'lost' || link === 'restarted';
    const states = [
      this._isCompact ? ' jp-mod-compact' : '',
      isOld ? ' jp-mod-stale' : ''
    ];
    return (
      <section
        className={`jp-GpuHeadroomReport jp-GpuHeadroomLive${states.join('')}`}
        aria-label={trans.__('GPU memory')}
      >
        {content}
      </section>
    );
  }

  /** The measured devices, once a framework uses them. */
  private get _devices(): readonly IDevice[] {
    const { sample } = this._state;
    return sample?.state === 'live' ? sample.devices.slice(0, MAX_DEVICES) : [];
  }

  /** Buttons for requests, unless a drawer is open. */
  private get _offers(): readonly IButtonProps[] {
    const drawer = this._drawer;
    if (drawer.isOpen || this._connection.link === 'restarted') {
      return [];
    }
    const free = {
      label: trans.__('Free memory…'),
      isPrimary: !this._isCompact,
      onPress: () => {
        drawer.openPlan();
      }
    };
    const look = {
      label: trans.__('See what holds the memory'),
      onPress: () => {
        drawer.openHolders();
      }
    };
    return this._isCompact ? [free] : [free, look];
  }

  private _full(
    reading: Reading,
    age: string,
    now: number
  ): React.JSX.Element | React.JSX.Element[] {
    const devices = this._devices;
    if (devices.length === 0 || reading.kind === 'stopped') {
      return (
        <>
          <Head aside={age}>
            {textOf(reading, trans, false) || trans.__('GPU memory')}
          </Head>
          <p>
            <Sentence text={explainGap(reading, trans)} />
          </p>
        </>
      );
    }
    return devices.map((device, index) => (
      <React.Fragment key={device.index}>
        <Device
          device={device}
          condition={this._condition(device)}
          age={index === 0 ? age : ''}
        />
        {this._chart(device, now)}
      </React.Fragment>
    ));
  }

  private _condition(device: IDevice): Condition {
    const level = levelIn(this._state, device);
    const isFilling = fillingIn(this._state)?.device_index === device.index;
    return level !== 'critical' && isFilling ? 'filling' : level;
  }

  private _chart(device: IDevice, now: number): React.JSX.Element | null {
    const clock_s = clockOf(this._state, now);
    if (clock_s === null) {
      return null;
    }
    const timeline = timelineOf(this._state, device, clock_s);
    const section = this._host.firstElementChild;
    const width = (section?.clientWidth ?? 0) - PADDING_PX;
    const { peak } = timeline;
    const title = nameSpan(true, trans);
    return (
      <div
        className="jp-GpuHeadroomLive-chart"
        role="img"
        aria-label={peak ? `${title}: ${describePeak(peak, trans)}` : title}
      >
        <ChartTitle title={title} timeline={timeline} trans={trans} />
        <Chart
          timeline={timeline}
          id={`${this._id}-${device.index}`}
          width={width > 0 ? width : WIDTH_PX}
          height={HEIGHT_PX}
          trans={trans}
        />
      </div>
    );
  }

  private readonly _id = `gpu-headroom-chart-${++count}`;
  private readonly _drawer: Drawer;
  private _isDrawn = false;
  private _state: IMemoryState = LIVE;
  private _memo: IMemo = NO_MEMO;
}

function Foot({
  offers
}: {
  offers: readonly IButtonProps[];
}): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroomLive-foot">
      <div className="jp-GpuHeadroom-actions">
        <Buttons buttons={offers} />
      </div>
      <p className="jp-GpuHeadroomLive-aside">
        {trans.__('Updates while this output is on screen.')}
      </p>
    </div>
  );
}
