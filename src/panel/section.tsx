import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { PanelLayout, SectionName } from './layout';

interface ISectionProps {
  readonly name: SectionName;
  readonly label: string;
  /** The text at the right of the title. */
  readonly total: string;
  /** How many rows it has, as a number for its style. */
  readonly rows: number;
  /** The line that stands for a section with nothing in it; else empty. */
  readonly nothing: string;
  readonly layout: PanelLayout;
  /** On which side its height is changed; `null`: it takes what is left. */
  readonly edge: 'above' | 'below' | null;
  readonly trans: TranslationBundle;
}

/** How far a key moves an edge. */
const STEP_PX = 16;

/**
 * One section of the panel: a title that carries a total, opens and closes it;
 * where there is nothing in it, a line that says so.
 */
export function Section(
  props: React.PropsWithChildren<ISectionProps>
): React.JSX.Element {
  const { children, edge, label, layout, name, nothing, rows, total } = props;
  const id = React.useId();
  const body = React.useRef<HTMLDivElement>(null);
  if (nothing) {
    return (
      <section className="jp-GpuHeadroom-section">
        <h3 className="jp-GpuHeadroom-nothing">{nothing}</h3>
      </section>
    );
  }
  const isOpen = layout.isOpen(name);
  const height = layout.heightOf(name);
  const handle = isOpen && edge && (
    <Edge {...props} body={body} isAbove={edge === 'above'} />
  );
  return (
    <section
      className={`jp-GpuHeadroom-section jp-mod-${name}`}
      aria-labelledby={id}
      style={{ '--gh-rows': rows } as React.CSSProperties}
    >
      {edge === 'above' && handle}
      <h3>
        <button
          type="button"
          className="jp-GpuHeadroom-sectionTitle"
          aria-expanded={isOpen}
          onClick={() => {
            layout.toggle(name);
          }}
        >
          <span className="jp-GpuHeadroom-collapser" aria-hidden="true" />
          <span id={id} className="jp-GpuHeadroom-name">
            {label}
          </span>
          <span className="jp-GpuHeadroom-total">{total}</span>
        </button>
      </h3>
      {isOpen && (
        <div
          ref={body}
          className="jp-GpuHeadroom-sectionBody"
          style={height === null || !edge ? {} : { height, maxHeight: 'none' }}
        >
          {children}
        </div>
      )}
      {edge === 'below' && handle}
    </section>
  );
}

interface IEdgeProps extends ISectionProps {
  readonly body: React.RefObject<HTMLDivElement>;
  readonly isAbove: boolean;
}

/**
 * The edge by which a section is made higher or lower: dragged, or moved by ↑ and
 * ↓; a double click or Enter gives back the height that its content needs.
 */
function Edge(props: IEdgeProps): React.JSX.Element {
  const { body, isAbove, label, layout, name, trans } = props;
  const height = layout.heightOf(name);
  const heightNow = (): number => body.current?.offsetHeight ?? 0;
  const grow = (from: number, down: number): void => {
    layout.resize(name, Math.round(from + (isAbove ? -down : down)));
  };
  const reset = (): void => {
    layout.resize(name, null);
  };
  return (
    <div
      className="jp-GpuHeadroom-edge"
      role="separator"
      aria-orientation="horizontal"
      aria-label={trans.__('Height of “%1”', label)}
      aria-valuemin={0}
      aria-valuemax={Math.max(window.innerHeight, height ?? 0)}
      aria-valuenow={height ?? 0}
      aria-valuetext={
        height === null
          ? trans.__('as high as its content')
          : trans.__('%1 pixels', height)
      }
      tabIndex={0}
      onDoubleClick={reset}
      onKeyDown={event => {
        const down = { ArrowUp: -STEP_PX, ArrowDown: STEP_PX }[event.key];
        if (down || event.key === 'Enter') {
          event.preventDefault();
          if (down) {
            grow(heightNow(), down);
          } else {
            reset();
          }
        }
      }}
      onPointerDown={event => {
        const { currentTarget, clientY, pointerId } = event;
        const from = heightNow();
        event.preventDefault();
        currentTarget.focus({ preventScroll: true });
        currentTarget.setPointerCapture(pointerId);
        currentTarget.onpointermove = move => {
          grow(from, move.clientY - clientY);
        };
        currentTarget.onpointerup = currentTarget.onpointercancel = () => {
          currentTarget.onpointermove = null;
        };
      }}
    />
  );
}
