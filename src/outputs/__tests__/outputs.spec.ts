import type { IFrameMessage } from '../../protocol';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { FakeKernel } from './fakekernel';

const FOLDER = 'python_helper/gpu_headroom/frames';

/** Scripts and styles that outputs are saved with. */
const KINDS = ['gauge', 'report'] as const;

const read = (name: string): string =>
  readFileSync(`${FOLDER}/${name}`, 'utf8');

const run = (script: string): void => {
  // As a page runs it.
  const node = document.createElement('script');
  node.textContent = script;
  document.body.append(node);
  node.remove();
};

/** The API of the page for a kernel that replies. */
function colabOf(kernel: FakeKernel): object {
  return {
    kernel: {
      accessAllowed: true,
      comms: {
        registerTarget: () => undefined,
        open: async () => {
          const channel = await kernel.open();
          const messages = async function* () {
            for await (const data of channel.messages) {
              yield { data };
            }
          };
          return {
            send: (message: IFrameMessage) => channel.send(message),
            messages: messages()
          };
        }
      }
    }
  };
}

function output(kind: string, uid: string): HTMLElement {
  const node = document.createElement('div');
  node.dataset.gpuHeadroom = JSON.stringify({
    uid,
    helper_id: 'helper-1',
    kind,
    compact: false,
    report_id: kind === 'report' ? 'report-1' : null
  });
  node.innerHTML = '<p>as it was</p>';
  document.body.append(node);
  return node;
}

beforeAll(() => {
  execFileSync('node', ['scripts/frame.mjs', '--quiet']);
});

it('should save a report with a small script that ends nothing around it', () => {
  const script = read('loader.js');
  expect(script.length).toBeLessThan(1500);
  expect(script).not.toMatch(/<\/|<!--|https?:/);
});

describe.each(KINDS)('The script of a %s', kind => {
  const page = window as { google?: unknown };

  afterEach(() => {
    delete page.google;
    document.body.replaceChildren();
  });

  it('should be small', () => {
    const both = read(`${kind}.js`) + read(`${kind}.css`);
    expect(gzipSync(both, { level: 9 }).length).toBeLessThanOrEqual(25_000);
  });

  it.each(['js', 'css'])('should end nothing around it: %s', ending => {
    expect(read(`${kind}.${ending}`)).not.toMatch(/<\/|<!--|[\u2028\u2029]/);
  });

  it('should name no address but those of namespaces', () => {
    const all = read(`${kind}.js`) + read(`${kind}.css`);
    const addresses = all.match(/https?:[^"'`]*/g) ?? [];
    expect(addresses).not.toEqual([]);
    expect(
      addresses.filter(each => !each.startsWith('http://www.w3.org/'))
    ).toEqual([]);
    expect(all).not.toMatch(
      /@import|url\((?!#)|fetch\(|XMLHttpRequest|import\(/
    );
  });

  it('should leave no name in the page, and nothing else where there is no kernel', () => {
    const node = output(kind, 'output-1');
    const before = document.body.innerHTML;
    const names = Object.keys(window);
    run(read(`${kind}.js`));
    expect(document.body.innerHTML).toBe(before);
    expect(Object.keys(window)).toEqual(names);
    expect(node.isConnected).toBe(true);
  });

  it.each([
    ['of another session', { kernel: { accessAllowed: false, comms: {} } }],
    ['without comms', { kernel: { accessAllowed: true } }],
    ['without a kernel', {}]
  ])('should not change outputs in a page %s', (_, colab) => {
    page.google = { colab };
    output(kind, 'output-1');
    const before = document.body.innerHTML;
    run(read(`${kind}.js`));
    expect(document.body.innerHTML).toBe(before);
  });

  it.each(['', '{', 'null', '[]', '{"uid": 1}', '{"uid": "a"}'])(
    'should not change an output with the data %j',
    said => {
      const kernel = new FakeKernel();
      page.google = { colab: colabOf(kernel) };
      output(kind, 'output-1').dataset.gpuHeadroom = said;
      run(read(`${kind}.js`));
      expect(kernel.wires).toHaveLength(0);
    }
  );

  it('should start each output of its kind once, however often it runs', async () => {
    const kernel = new FakeKernel();
    page.google = { colab: colabOf(kernel) };
    KINDS.forEach(each => output(each, each));
    output(kind, 'another');
    run(read(`${kind}.js`));
    run(read(`${kind}.js`));
    await new Promise(resolve => setTimeout(resolve, 0));
    expect(kernel.wires).toHaveLength(2);
  });
});
