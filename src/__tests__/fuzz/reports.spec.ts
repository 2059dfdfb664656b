import { markdownOf } from '../../renderer/markdown';
import { WORDS } from '../report';
import { reportIn } from '../reportin';
import { howMany, Maker } from './maker';
import { savedReport, stateFrom } from './reports';
import { unreadable } from './views';

/** Elements that a report may contain. */
const TAGS = new Set(
  (
    'article button circle code details div h3 h4 header li ol p pre path rect ' +
    'section span strong summary svg table tbody td th thead tr ul'
  ).split(' ')
);

/** Attributes that reports set; none that runs, loads or links to anything. */
const ATTRIBUTES =
  /^(class|style|role|type|scope|start|tabindex|id|open|title|viewBox|d|[xyr]|c[xy]|rx|width|height|fill(-rule)?|aria-\w+|data-\w+(-\w+)*)$/;

describe('a saved report', () => {
  let host: HTMLElement;
  let draw: ReturnType<typeof reportIn>;
  let pressed: jest.Mock;
  let make: Maker;

  beforeEach(() => {
    host = document.createElement('div');
    document.body.replaceChildren(host);
    pressed = jest.fn();
    draw = reportIn(host, pressed);
    make = new Maker();
  });

  const buttons = (): HTMLButtonElement[] => [
    ...host.querySelectorAll('button')
  ];

  const markup = (): string[] => {
    const nodes = [...host.querySelectorAll('*')];
    const tags = nodes.map(node => node.tagName.toLowerCase());
    const names = nodes.flatMap(node => node.getAttributeNames());
    return [
      ...tags.filter(tag => !TAGS.has(tag)),
      ...names.filter(name => !ATTRIBUTES.test(name))
    ];
  };

  it('should be readable text in every form', () => {
    let drawn = 0;
    const problems: unknown[] = [];
    for (let count = howMany(1000); count > 0; count--) {
      const report = savedReport(make);
      if (report) {
        drawn++;
        draw(report, stateFrom(make, make.choice(['saved', 'asking'])));
        problems.push(...markup());
        problems.push(...unreadable([host.textContent]));
        problems.push(...unreadable([markdownOf(WORDS, report, null)]));
        // The rule of trust: nothing can be pressed but what copies the text.
        problems.push(...buttons().filter(isAction));
      }
    }
    expect([...new Set(problems)].slice(0, 20)).toEqual([]);
    expect(drawn).toBeGreaterThan(howMany(1000) / 4);
  });

  it('should have no button that acts on data of the notebook', () => {
    const problems: unknown[] = [];
    for (let count = howMany(300); count > 0; count--) {
      const report = savedReport(make);
      if (report) {
        draw(report, stateFrom(make, 'confirmed'));
        const ids = new Set(report.remedies.map(({ id }) => id));
        pressed.mockClear();
        buttons().forEach(node => {
          node.click();
        });
        const acted = pressed.mock.calls.map(([, id]) => id as string | null);
        problems.push(...acted.filter(id => id !== null && !ids.has(id)));
        problems.push(...markup());
      }
    }
    expect([...new Set(problems)]).toEqual([]);
  });
});

function isAction(button: HTMLButtonElement): boolean {
  return !button.closest('[data-fold=details]');
}
