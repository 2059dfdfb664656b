import * as React from 'react';

import type { IRemedy } from '../protocol';
import { plain } from '../text/plain';
import { Heading } from './causes';
import { Fold } from './fold';
import { RemedyItem } from './remedy';
import type { IContext } from './state';
import { Tries, triedFirst } from './tries';

/** Number of remedies shown; the others are under "More options". */
const MAX_OPEN = 4;

/** Maximum number of remedies rendered. */
const MAX_REMEDIES = 20;

/** Maximum length of a title in the line that lists the others, in characters. */
const MAX_TITLE = 120;

/**
 * Remedies that still apply. Training state cannot be saved once no kernel retains it.
 */
function offered({ report, state }: IContext): readonly IRemedy[] {
  return triedFirst(report.remedies.slice(0, MAX_REMEDIES), state).filter(
    ({ kind }) => kind !== 'save' || state.trust !== 'saved'
  );
}

/** The remedies shown first. */
export function FirstRemedies(context: IContext): React.JSX.Element | null {
  const remedies = offered(context).slice(0, MAX_OPEN);
  return remedies.length === 0 ? null : (
    <>
      <Heading text={context.trans.__('What you can do')} />
      <List {...context} remedies={remedies} start={1} />
      <Tries {...context} />
    </>
  );
}

/** The other remedies, folded; after a release, all remedies except that release. */
export function MoreRemedies(
  props: IContext & { isFreed: boolean }
): React.JSX.Element | null {
  const { isFreed, sentence, trans } = props;
  const all = offered(props);
  const remedies = isFreed
    ? all.filter(({ kind }) => kind !== 'release')
    : all.slice(MAX_OPEN);
  const title = isFreed
    ? trans.__('Ways to use less memory')
    : trans.__('More options');
  const titles = remedies.map(remedy =>
    plain(sentence(remedy.title).slice(0, MAX_TITLE))
  );
  return remedies.length === 0 ? null : (
    <Fold {...props} name="more" title={title} hint={titles.join(', ')}>
      <List {...props} remedies={remedies} start={isFreed ? 1 : MAX_OPEN + 1} />
    </Fold>
  );
}

/** A report has one primary button: the first release. */
function List(
  props: IContext & { remedies: readonly IRemedy[]; start: number }
): React.JSX.Element {
  const { remedies, start } = props;
  const first = remedies.find(({ kind }) => kind === 'release');
  return (
    <ol
      className="jp-GpuHeadroomReport-remedies"
      role="list"
      start={start}
      style={{ counterReset: `gpu-headroom-remedy ${start - 1}` }}
    >
      {remedies.map((remedy, index) => (
        <RemedyItem
          key={`${remedy.id} ${index}`}
          {...props}
          remedy={remedy}
          isPrimary={start === 1 && remedy === first}
        />
      ))}
    </ol>
  );
}
