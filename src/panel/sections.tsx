import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { FitsOn } from '../dryrun/section';
import { isBusy } from '../memory/model';
import { describeTotal } from '../otherkernels/words';
import { describeSafe } from '../release/words';
import { formatBytes } from '../text/format';
import { Devices } from './devices';
import { FreeableList } from './freeablelist';
import { History } from './history';
import { HolderList } from './holderlist';
import type { SectionName } from './layout';
import type { IPanelProps, PanelModel } from './model';
import { Others } from './others';
import { Section } from './section';
import { WorkersList } from './workers';

/** What a section is made of. */
interface ISectionParts {
  readonly Body: React.FunctionComponent<IPanelProps>;
  readonly label: (trans: TranslationBundle) => string;
  /** The text at the right of the title. */
  readonly total: (model: PanelModel) => string;
  /** How many rows it has, as a number for its style. */
  readonly rows?: (model: PanelModel) => number;
  /** The line that stands for a section with nothing in it; else empty. */
  readonly nothing?: (model: PanelModel) => string;
}

const SECTIONS: Record<SectionName, ISectionParts> = {
  FitsOn: {
    Body: ({ model: { dryRun, trans } }) =>
      dryRun && <FitsOn dryRun={dryRun} trans={trans} />,
    label: trans => trans.__('Fits on'),
    total: ({ dryRun, trans }) =>
      dryRun?.step?.found?.needed_bytes
        ? trans.__(
            'needs %1, simulated',
            formatBytes(dryRun.step.found.needed_bytes)
          )
        : ''
  },
  Devices: {
    Body: Devices,
    label: trans => trans.__('Devices'),
    total: ({ devices }) => String(devices.length)
  },
  Workers: {
    Body: WorkersList,
    label: trans => trans.__('Workers'),
    total: ({ current }) => {
      const told = current?.state.sample?.workers;
      return told?.fullest ? formatBytes(told.in_use_bytes) : '';
    }
  },
  History: {
    Body: History,
    label: trans => trans.__('Timeline'),
    total: ({ device, isOfWorkers, trans }) =>
      isOfWorkers
        ? trans.__('fullest worker')
        : device
          ? trans.__('GPU %1', device.index)
          : ''
  },
  HolderList: {
    Body: HolderList,
    label: trans => trans.__('What holds GPU memory'),
    total: totalHeld,
    // And that of what is not attributed.
    rows: ({ held }) => (held?.rows.length ?? 0) + 1
  },
  FreeableList: {
    Body: FreeableList,
    label: trans => trans.__('Can be freed'),
    total: ({ session }) => (session ? describeSafe(session.checklist) : ''),
    nothing: ({ isNothingFreeable, trans }) =>
      isNothingFreeable
        ? trans.__('Nothing can be freed without deleting a variable.')
        : ''
  },
  Others: {
    Body: Others,
    label: trans => trans.__('Other notebooks on this GPU'),
    total: ({ othersBytes, shares, trans }) =>
      describeTotal(othersBytes, shares, trans),
    nothing: ({ isAlone, trans }) =>
      isAlone ? trans.__('No other program uses this GPU.') : ''
  }
};

/** What is held; while a cell runs, with the cell after which that was so. */
function totalHeld({ current, held, holders, trans }: PanelModel): string {
  if (!held) {
    return '';
  }
  const size = formatBytes(held.in_use_bytes);
  const count = holders?.measurement.last?.execution_count ?? null;
  return current && isBusy(current.state) && count !== null
    ? trans.__('%1 after In [%2]', size, count)
    : size;
}

/**
 * The sections of the panel, in the order of the moment.
 */
export function Sections(
  props: IPanelProps & { order: readonly SectionName[] }
): React.JSX.Element {
  const { model, order } = props;
  const { layout, trans } = model;
  const list = order.indexOf('HolderList');
  return (
    <>
      {order.map((name, index) => {
        const { Body, label, nothing, rows, total } = SECTIONS[name];
        return (
          <Section
            key={name}
            name={name}
            label={label(trans)}
            total={total(model)}
            rows={rows?.(model) ?? 0}
            nothing={nothing?.(model) ?? ''}
            layout={layout}
            // The list between them takes what is left.
            edge={
              list < 0 || index === list
                ? null
                : index < list
                  ? 'below'
                  : 'above'
            }
            trans={trans}
          >
            <Body model={model} />
          </Section>
        );
      })}
    </>
  );
}
