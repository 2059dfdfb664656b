import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import { explain } from '../kernel/problem';
import { Gap } from '../lab/gap';
import { WalkWait } from '../lab/wait';
import { bySize, isCovered } from '../memory/items';
import type { IItem } from '../protocol';
import { words } from '../text/messages';
import { nameSize } from '../text/names';
import type { Checklist } from './checklist';
import { nameRunning } from './words';

import '../../style/release.css';

interface IChecklistProps {
  checklist: Checklist;
  /** Undoes an earlier action, by the id of its item. */
  onUndo: (id: string) => Promise<void>;
  trans: TranslationBundle;
}

/**
 * Checklist of what can be freed: first items that delete no name of the user's, then
 * those that need confirmation, and last those that can be undone.
 */
export function ChecklistView(props: IChecklistProps): React.JSX.Element {
  const { checklist, trans } = props;
  const { gap, items, plan } = checklist;
  const free = items?.filter(({ kind }) => kind !== 'restore') ?? [];
  const safe = free.filter(item => item.safe);
  const priced = bySize(free.filter(item => !item.safe));
  const moved = items?.filter(({ kind }) => kind === 'restore') ?? [];
  const running =
    items || plan.problem ? '' : nameRunning(plan.memory.state, trans);
  const isMeasuring = plan.task?.isLong && !running;
  return (
    <div className="jp-GpuHeadroom-checklist">
      {plan.problem !== null && (
        <Hint icon="triangle">{explain(plan.problem, trans)}</Hint>
      )}
      {running && (
        <Hint icon="clock">
          {trans.__(
            '%1 Freeable memory is measured when it finishes. You can free what failed cells, unnamed outputs and unreachable objects hold as soon as it does.',
            running
          )}
        </Hint>
      )}
      {isMeasuring && (
        <WalkWait
          label={trans.__('Measuring…')}
          task={plan.task}
          trans={trans}
        />
      )}
      {gap && !plan.task && plan.problem === null && (
        <Gap
          message={gap}
          onMeasure={() => void plan.measure(true)}
          trans={trans}
        />
      )}
      {items && !gap && safe.length === 0 && <Nothing {...props} />}
      <Rows {...props} items={safe} />
      <Rows {...props} items={priced} title={trans.__('With a confirmation')} />
      <Rows {...props} items={moved} title={trans.__('Moved to the CPU')} />
    </div>
  );
}

/** Text if no item is worth a row, with the kernel's reason if there is one. */
function Nothing({ checklist, trans }: IChecklistProps): React.JSX.Element {
  const { obstacle } = checklist;
  return (
    <p className="jp-GpuHeadroom-notice">
      {obstacle ? (
        <Sentence text={words(trans).sentence(obstacle)} />
      ) : (
        trans.__(
          'Nothing larger than 10 MiB can be freed without deleting your variables.'
        )
      )}
    </p>
  );
}

function Rows(
  props: IChecklistProps & { items: readonly IItem[]; title?: string }
): React.JSX.Element | null {
  const { items, title } = props;
  const id = React.useId();
  return items.length === 0 ? null : (
    <>
      {title && (
        <h3 id={id} className="jp-GpuHeadroom-checklistTitle">
          {title}
        </h3>
      )}
      <ul aria-labelledby={title && id}>
        {items.map(item => (
          <li key={item.id}>
            {item.kind === 'restore' ? (
              <Moved {...props} item={item} />
            ) : (
              <Row {...props} item={item} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface IRowProps extends IChecklistProps {
  item: IItem;
}

function Row({ checklist, item, trans }: IRowProps): React.JSX.Element {
  const { id, blocked } = item;
  const price = React.useId();
  const otherItems = (checklist.items ?? []).filter(
    other => other !== item && checklist.isChosen(other)
  );
  const goesAlong = isCovered(item, otherItems);
  return (
    <label className="jp-GpuHeadroom-item">
      <input
        type="checkbox"
        aria-describedby={price}
        checked={goesAlong || checklist.isChosen(item)}
        disabled={goesAlong || blocked !== null}
        onChange={({ target }) => {
          checklist.choose(id, target.checked);
        }}
      />
      <Facts item={item} priceId={price} trans={trans} />
    </label>
  );
}

function Moved({ item, onUndo, trans }: IRowProps): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroom-item">
      <Facts item={item} trans={trans} />
      <Button
        label={trans.__('Move back')}
        onPress={item.blocked ? null : () => void onUndo(item.id)}
      />
    </div>
  );
}

function Facts(props: {
  item: IItem;
  priceId?: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { item, priceId, trans } = props;
  const { sentence } = words(trans);
  return (
    <>
      <span className="jp-GpuHeadroom-itemTitle">
        <Sentence text={sentence(item.title)} />
      </span>
      {item.kind !== 'restore' && (
        <span className="jp-GpuHeadroom-itemSize">
          {nameSize(item.expected_bytes, trans)}
        </span>
      )}
      <span id={priceId} className="jp-GpuHeadroom-itemCost">
        <Sentence text={sentence(item.blocked ?? item.cost)} />
      </span>
    </>
  );
}
