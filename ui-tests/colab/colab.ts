import path from 'node:path';

import {
  test as base,
  expect,
  type FrameLocator,
  type Locator,
  type Page
} from '@playwright/test';

import { SIMULATE } from '../tests/cells';
import type { Delivery, IOutput, IRun, ISavedCell, ISent } from './bridge';
import { ColabServer, type Generation, type IKernelKind } from './server';

export { expect };

/** The helper, and a simulated GPU that PyTorch has begun to use. */
export const START = `%load_ext gpu_headroom
${SIMULATE}
import torch

begun = torch.zeros(1, device="cuda")`;

/** The gauge, from nothing. */
export const SHOW = `%load_ext gpu_headroom
%gpu_headroom`;

/** How a notebook is opened. */
export interface IOpenOptions extends Partial<IKernelKind> {
  /** Whether an output may insert cells, and copy. */
  inserting?: boolean;
  copying?: boolean;
  /** Whether a comm that an output opens ever is. */
  opening?: boolean;
  theme?: 'light' | 'dark';
  /** A kernel that runs already. */
  kernel?: string;
}

/** Where a test runs: each project of the configuration is one place of the matrix. */
export interface ISetting {
  generation: Generation;
  delivery: Delivery;
}

interface IFixtures extends ISetting {
  /** Open a notebook without cells over a kernel of its own. */
  open: (options?: IOpenOptions) => Promise<Notebook>;
}

interface IWorkerFixtures {
  server: ColabServer;
}

const HOMES = path.join(__dirname, '..', '..', '.make', 'ui-tests', 'colab');

export const test = base.extend<IFixtures, IWorkerFixtures>({
  generation: ['6.17', { option: true }],
  delivery: ['strict', { option: true }],
  server: [
    async ({}, use, { parallelIndex }) => {
      const server = new ColabServer(path.join(HOMES, `${parallelIndex}`));
      await server.start();
      await use(server);
      await server.stop();
    },
    { scope: 'worker', timeout: 120000 }
  ],
  open: async ({ page, server, generation, delivery }, use, testInfo) => {
    const kernels = new Set<string>();
    const errors: string[] = [];
    page.on('pageerror', error => errors.push(String(error)));
    await use(async (options = {}) => {
      const kernel =
        options.kernel ??
        (await server.startKernel({
          generation,
          isColab: true,
          hasHelper: true,
          ...options
        }));
      kernels.add(kernel);
      const parameters = new URLSearchParams({
        server: server.jupyter,
        frame: server.frame,
        kernel,
        delivery,
        inserting: options.inserting === false ? 'no' : 'yes',
        copying: options.copying === false ? 'no' : 'yes',
        opening: options.opening === false ? 'no' : 'yes',
        theme: options.theme ?? 'light'
      });
      await page.goto(`${server.page}?${parameters}`);
      await page.evaluate(() => colab.ready);
      return new Notebook(page, kernel);
    });
    if (kernels.size === 0) {
      return; // the test was skipped
    }
    const blocked = await page.evaluate(() => colab.blocked);
    if (testInfo.status !== testInfo.expectedStatus) {
      const texts = await Promise.all(
        page.frames().map(frame => frame.locator('body').innerText())
      )
        .then(each => each.join('\n'))
        .catch(String);
      console.error([testInfo.title, ...errors, texts].join('\n'));
    }
    await Promise.all([...kernels].map(id => server.stopKernel(id)));
    // Whatever a test is about: no frame asks a network for anything.
    expect([...blocked, ...server.strays]).toEqual([]);
    expect(errors).toEqual([]);
  }
});

/** The notebook on the page. */
export class Notebook {
  constructor(
    readonly page: Page,
    /** The id of its kernel. */
    readonly kernel: string
  ) {}

  /** Add a cell at the end, run it and wait until it has ended. */
  async run(source: string): Promise<Cell> {
    const cell = await this.start(source);
    await cell.ended();
    return cell;
  }

  /**
   * Run a cell after one that ended in an error: a kernel sends back for a moment
   * what is queued then.
   */
  async runAfterError(source: string): Promise<Cell> {
    const cell = await this.run(source);
    while ((await cell.ended()).status === 'aborted') {
      await cell.run();
    }
    return cell;
  }

  /** Add a cell at the end and run it. */
  async start(source: string): Promise<Cell> {
    const name = await this.page.evaluate(text => {
      const added = colab.add(text);
      colab.run(added);
      return added;
    }, source);
    return this.cell(name);
  }

  /** Run a cell that prints, and read what it prints as JSON. */
  async value(expression: string): Promise<unknown> {
    const cell = await this.run(
      `import json\nprint(json.dumps(${expression}))`
    );
    return JSON.parse(await cell.text());
  }

  /** All cells. */
  get all(): Locator {
    return this.page.locator('.cell');
  }

  cell(name: string): Cell {
    return new Cell(this.page, name);
  }

  async cells(): Promise<Cell[]> {
    const names = await this.page.evaluate(() => colab.cells());
    return names.map(name => this.cell(name));
  }

  sent(): Promise<ISent[]> {
    return this.page.evaluate(() => colab.sent);
  }

  /** Answer `input()`, now or when it is asked. */
  answer(text: string): Promise<void> {
    return this.page.evaluate(words => {
      colab.answer(words);
    }, text);
  }

  interrupt(): Promise<void> {
    return this.page.evaluate(() => colab.interrupt());
  }

  restart(): Promise<void> {
    return this.page.evaluate(() => colab.restart());
  }

  save(): Promise<ISavedCell[]> {
    return this.page.evaluate(() => colab.save());
  }

  async show(cells: ISavedCell[]): Promise<Cell[]> {
    await this.page.evaluate(saved => {
      colab.show(saved);
    }, cells);
    return this.cells();
  }
}

/** A cell on the page. */
export class Cell {
  constructor(
    readonly page: Page,
    readonly name: string
  ) {}

  get element(): Locator {
    return this.page.locator(`#${this.name}`);
  }

  /** What the frame of its outputs shows. */
  get frame(): FrameLocator {
    return this.element.frameLocator('iframe');
  }

  /** Our output in it. */
  get output(): Locator {
    return this.frame.locator('.gpu-headroom-frame');
  }

  /** The live gauge in it; what was saved has the same role and name. */
  get live(): Locator {
    return this.output
      .getByRole('region', { name: 'GPU memory' })
      .and(this.frame.locator('.jp-GpuHeadroomLive'));
  }

  /** Scroll its outputs into view, as frames ask nothing while nobody looks. */
  look(): Promise<void> {
    return this.element.locator('iframe').scrollIntoViewIfNeeded();
  }

  button(name: RegExp | string): Locator {
    return this.output.getByRole('button', { name });
  }

  run(): Promise<void> {
    return this.page.evaluate(name => {
      colab.run(name);
    }, this.name);
  }

  ended(): Promise<IRun> {
    return this.page.evaluate(name => colab.ended(name), this.name);
  }

  /** Whether it has not ended. */
  runs(): Promise<boolean> {
    return this.page.evaluate(name => colab.runs(name), this.name);
  }

  /** How many messages of the kernel have reached its frame. */
  heard(): Promise<number> {
    return this.page.evaluate(name => colab.heard[name] ?? 0, this.name);
  }

  source(): Promise<string> {
    return this.page.evaluate(name => colab.source(name), this.name);
  }

  outputs(): Promise<IOutput[]> {
    return this.page.evaluate(name => colab.outputs(name), this.name);
  }

  /** What it printed. */
  async text(): Promise<string> {
    const outputs = await this.outputs();
    return outputs
      .filter(({ type }) => type === 'stream')
      .map(({ content }) => content.text as string)
      .join('');
  }

  /** The HTML that it put out. */
  async html(): Promise<string> {
    const outputs = await this.outputs();
    return outputs
      .map(({ content }) => {
        const data = content.data as Record<string, string> | undefined;
        return data?.['text/html'] ?? '';
      })
      .join('');
  }
}
