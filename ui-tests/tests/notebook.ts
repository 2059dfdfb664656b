import type { ISessionContext } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Locator, Page } from '@playwright/test';

/** Of a widget in a tab that is not shown: JupyterLab 4.7 keeps it laid out. */
export const HIDDEN =
  ':is(.lm-mod-hidden, [style*="content-visibility: hidden"])';

/** What the helper of a kernel answers to a request; `{}`: there is none. */
export type HelperAnswer = Record<string, unknown>;

/**
 * An open notebook, driven by the application's own commands: JupyterLab and
 * Notebook 7 have them in common.
 */
export class Notebook {
  constructor(
    readonly page: Page,
    readonly path: string
  ) {}

  /** Show a notebook in a page of the application, beside those that are open. */
  static async show(page: Page, path: string): Promise<Notebook> {
    const notebook = new Notebook(page, path);
    await notebook.execute('docmanager:open', { path });
    await notebook.waitUntilOpen();
    return notebook;
  }

  /** Wait for the notebook, and unless it is early for its kernel. */
  async waitUntilOpen(early = false): Promise<void> {
    await this.page.waitForFunction(path => {
      // Another page than galata's is asked while it still loads.
      const app = window.jupyterapp as typeof window.jupyterapp | undefined;
      const panel = app?.shell.currentWidget as Partial<NotebookPanel> | null;
      return panel?.context?.path === path && panel.context.isReady;
    }, this.path);
    if (!early) {
      await this.page.waitForFunction(() => {
        const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
        const kernel = panel.sessionContext.session?.kernel;
        return kernel?.status === 'idle' || kernel?.status === 'busy';
      });
    }
  }

  /** The cell at a 0-based index. */
  cell(index: number): Locator {
    return this.page
      .locator(`.jp-NotebookPanel:not(${HIDDEN})`)
      .locator('.jp-Cell')
      .nth(index);
  }

  /** Make a cell the active one. */
  async select(index: number): Promise<void> {
    await this.page.evaluate(active => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      panel.content.activeCellIndex = active;
      panel.content.deselectAll();
    }, index);
  }

  /** Edit a cell from the beginning of one of its lines, both counted from 0. */
  async putCursor(index: number, line: number): Promise<void> {
    await this.select(index);
    await this.page.evaluate(at => {
      const { content } = window.jupyterapp.shell
        .currentWidget as NotebookPanel;
      content.mode = 'edit';
      content.activeCell?.editor?.setCursorPosition({ line: at, column: 0 });
    }, line);
  }

  /** Run a cell and wait until it has ended, well or not. */
  async run(index: number): Promise<void> {
    await this.select(index);
    await this.execute('notebook:run-cell');
  }

  /** Start a cell and wait until the kernel runs it. */
  async start(index: number): Promise<void> {
    await this.select(index);
    await this.page.evaluate(() => {
      void window.jupyterapp.commands.execute('notebook:run-cell');
    });
    await this.page.waitForFunction(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      return panel.sessionContext.session?.kernel?.status === 'busy';
    });
  }

  /** Wait until the kernel has nothing to do. */
  async waitUntilIdle(): Promise<void> {
    await this.page.waitForFunction(
      () => {
        const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
        return panel.sessionContext.session?.kernel?.status === 'idle';
      },
      undefined,
      { timeout: 90_000 }
    );
  }

  /** Run all cells up to an index, each after the other. */
  async runUpTo(last: number): Promise<void> {
    for (let index = 0; index <= last; index++) {
      await this.run(index);
    }
  }

  /** Run a command of the application and wait for it. */
  async execute(command: string, args: object = {}): Promise<void> {
    await this.page.evaluate(
      async ([id, options]) => {
        await window.jupyterapp.commands.execute(id, options as never);
      },
      [command, args] as const
    );
  }

  /** The source of a cell. */
  source(index: number): Promise<string> {
    return this.page.evaluate(at => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      return panel.content.widgets[at]?.model.sharedModel.getSource() ?? '';
    }, index);
  }

  /** Restart the kernel, and unless told otherwise wait until it is back. */
  async restart(wait = true): Promise<void> {
    await this.page.evaluate(async isAwaited => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      const back = panel.sessionContext.session?.kernel?.restart();
      if (isAwaited) {
        await back;
      }
    }, wait);
  }

  /** Replace the source of a cell, as a person who types does. */
  async edit(index: number, source: string): Promise<void> {
    await this.page.evaluate(
      ([at, text]) => {
        const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
        panel.content.widgets[at]?.model.sharedModel.setSource(text);
      },
      [index, source] as const
    );
  }

  /** What the notebook would save. */
  async saved(): Promise<string> {
    return JSON.stringify(
      await this.page.evaluate(() => {
        const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
        return panel.content.model?.toJSON();
      })
    );
  }

  /** Scroll through all cells, a screen or so at a time. */
  async scroll(): Promise<void> {
    const count = await this.count();
    for (let index = 0; index < count; index += 20) {
      await this.scrollTo(index);
    }
  }

  /** Scroll to a cell. */
  async scrollTo(index: number): Promise<void> {
    await this.page.evaluate(async at => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      await panel.content.scrollToItem(at, 'start');
    }, index);
  }

  /** How many cells there are. */
  count(): Promise<number> {
    return this.page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      return panel.content.widgets.length;
    });
  }

  /** The id of the kernel: a restart keeps it, another kernel has another. */
  kernelId(): Promise<string | undefined> {
    return this.page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      return panel.sessionContext.session?.kernel?.id;
    });
  }

  /**
   * What the kernel makes of an expression, without a trace in its history.
   *
   * @param expression - Python whose value is a JSON text or a number
   */
  value<T>(expression: string): Promise<T> {
    return this.page.evaluate(async python => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      const future = panel.sessionContext.session?.kernel?.requestExecute({
        code: '',
        silent: true,
        store_history: false,
        user_expressions: { value: `__import__("json").dumps(${python})` }
      });
      const content = (await future?.done)?.content as unknown as {
        user_expressions: {
          value: {
            status: string;
            evalue: string;
            data: { 'text/plain': string };
          };
        };
      };
      const { value } = content.user_expressions;
      if (value.status !== 'ok') {
        throw new Error(`${python}: ${value.evalue}`);
      }
      const quoted = value.data['text/plain'];
      return JSON.parse(
        quoted.slice(1, -1).replace(/\\'/g, "'").replace(/\\\\/g, '\\')
      ) as T;
    }, expression);
  }

  /** Bytes that PyTorch has in use on the GPU. */
  inUse(): Promise<number> {
    return this.value<number>('__import__("torch").cuda.memory_allocated()');
  }

  /** Ask the kernel's helper whether it is there, as any page may. */
  async askHelper(): Promise<HelperAnswer> {
    return this.page.evaluate(async () => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      const context: ISessionContext = panel.sessionContext;
      const reply = await context.session?.kernel?.requestDebug({
        type: 'request',
        seq: 0,
        command: 'gpuHeadroom',
        arguments: {
          type: 'sample',
          id: 'ui-tests',
          protocol_version: '2.0',
          client_id: 'ui-tests'
        }
      }).done;
      return (reply?.content.body ?? {}) as Record<string, unknown>;
    });
  }
}
