/**
 * What a page of Colab has behind it: a Jupyter server with real kernels, the page
 * on one site, and the frames of its outputs on another that may load nothing.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

const run = promisify(execFile);

const ROOT = path.join(__dirname, '..', '..');
const DIST = path.join(ROOT, 'dist');
const SHELL = path.join(__dirname, 'shell');

/** Generations of kernels: Colab's own of today, and the newest. */
export type Generation = '6.17' | '7';

/** A Python that has Colab's kernel: `make matrix` tries those that Colab offers. */
const COLABS =
  process.env.GPU_HEADROOM_PYTHON_KERNEL_617 ??
  path.join(ROOT, '.venvs', 'kernel-6.17', 'bin', 'python');

const ENVIRONMENTS: Record<Generation, string> = {
  '6.17': path.resolve(COLABS, '..', '..'),
  '7': path.join(ROOT, '.venv')
};

export interface IKernelKind {
  generation: Generation;
  /** Whether the shell is Colab's; `google.colab` can be imported either way. */
  isColab: boolean;
  /** Whether our wheel is installed already. */
  hasHelper: boolean;
}

/** The frame may run what is in it, and load nothing. */
const POLICY =
  "default-src 'none'; connect-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";

const STYLE = `
body { margin: 0; font: 14px/1.5 Roboto, Arial, sans-serif; }
`;

const PAGE_STYLE = `
body { margin: 24px auto; max-width: 800px; font: 14px/1.5 Roboto, Arial, sans-serif; background: #fff; color: #1f1f1f; }
body.dark { background: #383838; color: #e3e3e3; }
.cell { margin: 16px 0; }
.cell pre { margin: 0; white-space: pre-wrap; font: 13px/1.4 monospace; }
.cell .source { padding: 8px; background: #f7f7f7; }
.dark .source { background: #454545; }
iframe { display: block; width: 100%; height: 60px; border: 0; }
main { padding-bottom: 300vh; }
`;

export class ColabServer {
  /** @param home - a folder for all that is written; it is emptied first. */
  constructor(private readonly _home: string) {}

  /** Where the frames come from. */
  get frame(): string {
    return `http://localhost:${portOf(this._frames)}/`;
  }

  get page(): string {
    return `http://127.0.0.1:${portOf(this._pages)}/`;
  }

  /** The address of the Jupyter server. */
  get jupyter(): string {
    return `http://127.0.0.1:${this._port}`;
  }

  /** What was asked of the site of the frames besides the frame itself. */
  readonly strays: string[] = [];

  async start(): Promise<void> {
    await rm(this._home, { recursive: true, force: true });
    await mkdir(path.join(this._home, 'work'), { recursive: true });
    const page = document(PAGE_STYLE, await script('page.ts'), '<main></main>');
    const frame = document(STYLE, await script('outputframe.ts'), '');
    this._pages = await listen('127.0.0.1', (_, response) => {
      response.setHeader('Content-Type', 'text/html').end(page);
    });
    this._frames = await listen('localhost', (request, response) => {
      if (request.url !== '/') {
        this.strays.push(request.url ?? '');
      }
      response
        .setHeader('Content-Type', 'text/html')
        .setHeader('Content-Security-Policy', POLICY)
        .end(frame);
    });
    await this._startJupyter();
  }

  async stop(): Promise<void> {
    if (this._jupyter?.exitCode === null) {
      this._jupyter.kill('SIGTERM');
      await once(this._jupyter, 'exit');
    }
    for (const server of [this._pages, this._frames]) {
      server?.closeAllConnections();
      server?.close();
    }
  }

  /** Start a kernel. Returns its id. */
  async startKernel(kind: IKernelKind): Promise<string> {
    const response = await fetch(`${this.jupyter}/api/kernels`, {
      method: 'POST',
      body: JSON.stringify({ name: await this._spec(kind) })
    });
    if (!response.ok) {
      throw new Error(`No kernel was started: ${await response.text()}`);
    }
    const { id } = (await response.json()) as { id: string };
    return id;
  }

  async stopKernel(id: string): Promise<void> {
    await fetch(`${this.jupyter}/api/kernels/${id}`, { method: 'DELETE' });
  }

  private async _startJupyter(): Promise<void> {
    this._port = await freePort();
    const program = path.join(ENVIRONMENTS['7'], 'bin', 'jupyter-server');
    const folder = (name: string): string => path.join(this._home, name);
    this._jupyter = spawn(
      program,
      [
        '--no-browser',
        '--allow-root',
        `--ServerApp.port=${this._port}`,
        '--ServerApp.port_retries=0',
        '--ServerApp.ip=127.0.0.1',
        '--IdentityProvider.token=',
        '--ServerApp.password=',
        '--ServerApp.allow_origin=*',
        '--ServerApp.disable_check_xsrf=True',
        `--ServerApp.root_dir=${folder('work')}`
      ],
      {
        env: {
          ...process.env,
          IPYTHONDIR: folder('ipython'),
          JUPYTER_CONFIG_DIR: folder('config'),
          JUPYTER_DATA_DIR: folder('data'),
          JUPYTER_RUNTIME_DIR: folder('runtime'),
          // The browser needs the cores as well.
          OMP_WAIT_POLICY: 'PASSIVE'
        },
        stdio: 'ignore'
      }
    );
    await until(async () => {
      if (this._jupyter?.exitCode !== null) {
        throw new Error('The Jupyter server has ended.');
      }
      const answer = await fetch(`${this.jupyter}/api`).catch(() => null);
      return answer?.ok ?? false;
    });
  }

  /** The name of the kernelspec of a kind, written when it is first asked for. */
  private async _spec(kind: IKernelKind): Promise<string> {
    const { generation, isColab, hasHelper } = kind;
    const environment = hasHelper
      ? `with-helper-${generation}`
      : `without-helper-${generation}-${this._fresh++}`;
    const name = `${environment}-${isColab ? 'colab' : 'plain'}`;
    this._environments[environment] ??= this._prepare(environment, kind);
    const python = await this._environments[environment];
    const folder = path.join(this._home, 'data', 'kernels', name);
    await mkdir(folder, { recursive: true });
    const spec = {
      argv: [
        python,
        '-m',
        'ipykernel_launcher',
        '-f',
        '{connection_file}',
        ...(isColab
          ? ['--IPKernelApp.kernel_class=google.colab._kernel.Kernel']
          : [])
      ],
      display_name: name,
      language: 'python',
      // Nothing is published, so pip finds our wheel alone.
      env: { PYTHONPATH: SHELL, PIP_NO_INDEX: '1', PIP_FIND_LINKS: DIST }
    };
    await writeFile(path.join(folder, 'kernel.json'), JSON.stringify(spec));
    return name;
  }

  /**
   * An environment to throw away, which sees all that is in that of a generation.
   * Returns its Python.
   */
  private async _prepare(
    name: string,
    { generation, hasHelper }: IKernelKind
  ): Promise<string> {
    const base = ENVIRONMENTS[generation];
    const folder = path.join(this._home, name);
    await run(path.join(base, 'bin', 'python'), [
      ...['-m', 'venv', '--without-pip', folder]
    ]);
    await writeFile(
      path.join(await sitePackages(folder), 'base.pth'),
      `${await sitePackages(base)}\n`
    );
    const python = path.join(folder, 'bin', 'python');
    if (hasHelper) {
      const [wheel = ''] = (await readdir(DIST)).filter(file =>
        file.endsWith('.whl')
      );
      await run(python, [
        ...['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps'],
        ...['--ignore-installed', path.join(DIST, wheel)]
      ]);
    }
    return python;
  }

  private _port = 0;
  private _fresh = 0;
  private _jupyter: ChildProcess | null = null;
  private _pages: Server | null = null;
  private _frames: Server | null = null;
  private readonly _environments: Partial<Record<string, Promise<string>>> = {};
}

/** Where an environment keeps its packages. */
async function sitePackages(environment: string): Promise<string> {
  const lib = path.join(environment, 'lib');
  const [version = ''] = (await readdir(lib)).filter(name =>
    name.startsWith('python')
  );
  return path.join(lib, version, 'site-packages');
}

/** A script of the browser's; its types are checked with those of all tests. */
async function script(name: string): Promise<string> {
  const source = await readFile(path.join(__dirname, name), 'utf-8');
  return transpileModule(source, {
    compilerOptions: {
      module: ModuleKind.ES2022,
      target: ScriptTarget.ES2022
    }
  }).outputText;
}

function document(style: string, code: string, body: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><style>${style}</style></head>
<body>${body}<script type="module">${code}</script></body></html>`;
}

async function listen(
  host: string,
  listener: RequestListener
): Promise<Server> {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  return server;
}

function portOf(server: Server | null): number {
  const address = server?.address() as AddressInfo | null | undefined;
  if (!address) {
    throw new Error('The server has not been started.');
  }
  return address.port;
}

async function freePort(): Promise<number> {
  const server = await listen('127.0.0.1', () => undefined);
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}
