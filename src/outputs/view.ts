/**
 * Draws components where there is no React.
 *
 * In the script of an output this file stands for `react` (`scripts/frame.mjs`). It
 * knows elements as React's `createElement` makes them, and as its own does, of
 * components that are functions and keep nothing from one drawing to the next. A node
 * lives on while an element of its tag stands at its place, or has its key, so that a
 * press of a button, the focus, a selection and what a person folded open survive.
 */
import type { ReactNode } from 'react';

import { keepFocus } from '../components/focus';

type Props = Readonly<Record<string, unknown>> & {
  readonly children?: ReactNode;
};

interface IElement {
  /** A tag, a component, or a fragment. */
  readonly type: unknown;
  readonly key: string | null;
  readonly props: Props;
}

/** Elements without an element around them. */
export const Fragment = Symbol();

/** What JSX is compiled to. */
export function createElement(
  type: IElement['type'],
  props: (Props & { readonly key?: string }) | null,
  ...children: ReactNode[]
): IElement {
  const { key = null, ...rest } = props ?? {};
  return {
    type,
    key,
    props: children.length > 0 ? { ...rest, children } : rest
  };
}

/** What becomes a node: an element with a tag, or a text. */
type Shape = IElement | string;

/** Shapes by the place where they stand, in order. */
type Shapes = Map<string, Shape>;

function unfold(view: ReactNode, place: string, shapes: Shapes): Shapes {
  if (Array.isArray(view)) {
    view.forEach((each: ReactNode, index) => {
      const key = (each as IElement | null | undefined)?.key ?? null;
      unfold(each, `${place} ${key === null ? index : `.${key}`}`, shapes);
    });
  } else if (typeof view === 'number' || (typeof view === 'string' && view)) {
    shapes.set(place, String(view));
  } else if (typeof view === 'object' && view !== null) {
    const { type, props } = view as IElement;
    if (typeof type === 'string') {
      shapes.set(place, view as IElement);
    } else {
      const content =
        typeof type === 'function'
          ? (type as (props: Props) => ReactNode)(props)
          : props.children;
      unfold(content, place, shapes);
    }
  }
  return shapes;
}

/** What a node shows. */
interface IDrawn {
  readonly props: Props;
  readonly nodes: ReadonlyMap<string, ChildNode>;
}

const DRAWN = new WeakMap<Node, IDrawn>();
const NOTHING: IDrawn = { props: {}, nodes: new Map() };

/** Show this in an element and nothing else. */
export function draw(view: ReactNode, host: Element): void {
  if (!DRAWN.has(host)) {
    host.replaceChildren();
  }
  keepFocus(host, () => {
    update(host, { children: view });
  });
}

function update(host: Element, props: Props): void {
  const before = DRAWN.get(host) ?? NOTHING;
  const shapes = unfold(props.children, '', new Map());
  const drawn = [...shapes].map(([place, shape]) => {
    const there = before.nodes.get(place);
    const isSame =
      typeof shape === 'string'
        ? there instanceof Text
        : there instanceof Element && there.localName === shape.type;
    return { place, shape, node: there && isSame ? there : make(shape, host) };
  });
  const nodes = new Map(drawn.map(({ place, node }) => [place, node]));
  before.nodes.forEach((node, place) => {
    if (nodes.get(place) !== node) {
      node.remove();
    }
  });
  drawn.forEach(({ shape, node }, index) => {
    const next = host.childNodes[index] ?? null;
    if (next !== node) {
      host.insertBefore(node, next);
    }
    if (typeof shape === 'object') {
      update(node as unknown as Element, shape.props);
    } else if (node.nodeValue !== shape) {
      node.nodeValue = shape;
    }
  });
  dress(host as HTMLElement, before.props, props);
  DRAWN.set(host, { props, nodes });
}

const SVG = 'http://www.w3.org/2000/svg';

function make(shape: Shape, { namespaceURI }: Element): ChildNode {
  return typeof shape === 'string'
    ? document.createTextNode(shape)
    : document.createElementNS(
        shape.type === 'svg' ? SVG : namespaceURI,
        shape.type as string
      );
}

/** The attributes that elements call by another name. */
const NAMES: Readonly<Record<string, string>> = {
  className: 'class',
  fillRule: 'fill-rule',
  textAnchor: 'text-anchor'
};

function dress(node: HTMLElement, before: Props, after: Props): void {
  for (const name of Object.keys({ ...before, ...after })) {
    const value = after[name];
    const attribute = NAMES[name] ?? name;
    if (name === 'children' || value === before[name]) {
      continue;
    } else if (name.startsWith('on')) {
      Object.assign(node, { [name.toLowerCase()]: value });
    } else if (value === undefined || value === null) {
      node.removeAttribute(attribute);
    } else if (name === 'style') {
      Object.assign(node.style, value);
    } else {
      node.setAttribute(attribute, `${value as string | number}`);
    }
  }
}
