import { gib } from '../../__tests__/report';
import type { IItem, IMessage, IPlan, IShared } from '../../protocol';

/** A sentence that is in no catalog, and so is shown unchanged. */
export function say(text: string): IMessage {
  return { id: 'of a later helper', template: text, params: {}, text };
}

/** An item that deletes no name of the user's. */
export function makeItem(id: string, change: Partial<IItem> = {}): IItem {
  return {
    id,
    kind: 'outputs',
    name: null,
    title: say(`Title of \`${id}\``),
    cost: say(`Price of ${id}.`),
    expected_bytes: gib(1),
    safe: true,
    selected: true,
    adds_headroom: true,
    names: [],
    confirm: null,
    blocked: null,
    ...change
  };
}

/** An item that deletes a name. */
export function makeVariable(name: string, change: Partial<IItem> = {}): IItem {
  return makeItem(`variable:${name}`, {
    kind: 'variable',
    name,
    safe: false,
    selected: false,
    names: [name],
    confirm: say(`Delete \`${name}\`?`),
    ...change
  });
}

export const TRACEBACK = makeItem('traceback', {
  kind: 'traceback',
  expected_bytes: gib(0.9)
});

export const OUTPUT = makeItem('output:5');

export const CACHE = makeItem('cache', {
  kind: 'cache',
  expected_bytes: gib(1.1),
  selected: false,
  adds_headroom: false
});

/** A measured plan. */
export function makePlan(
  items: readonly IItem[],
  request_id = '1',
  shared: readonly IShared[] = []
): IPlan {
  return {
    type: 'plan',
    helper_id: 'helper-1',
    request_id,
    complete: true,
    items: [...items],
    shared: [...shared],
    message: say('Done.')
  };
}
