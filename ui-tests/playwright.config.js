const path = require('node:path');
const galata = require('@jupyterlab/galata/lib/playwright-config');

const hosts = require('./hosts/places');

// Dry runs give way to whatever else runs, such as other tests.
process.env.GPU_HEADROOM_NICE ??= '0';
// Reports are whole at once, however slow a busy machine is.
process.env.GPU_HEADROOM_HOLD_S ??= '60';

/** These measure and test nothing: `make benchmarks`, `make soak`. */
const MEASURES = {
  benchmarks: {
    environment: '.venv',
    command: 'lab',
    port: 8965,
    testMatch: '**/pixel.bench.ts'
  },
  start: {
    environment: '.venv',
    command: 'lab',
    port: 8967,
    testMatch: '**/start.bench.ts'
  },
  flow: {
    environment: '.venv',
    command: 'lab',
    port: 8968,
    testMatch: '**/flow.bench.ts'
  },
  peers: {
    environment: '.venvs/peers',
    command: 'lab',
    port: 8970,
    testMatch: '**/peers.bench.ts'
  },
  soak: {
    environment: '.venv',
    command: 'lab',
    port: 8966,
    testMatch: '**/soak.bench.ts'
  }
};

/**
 * The page that stands in for Colab's starts its own servers: `make colab`. Of its
 * matrix (kernels, which comm messages reach a frame) every day takes the hardest
 * place whole and a sample of the farthest one; GPU_HEADROOM_COLAB=full takes all.
 */
const isFull = process.env.GPU_HEADROOM_COLAB === 'full';
const place = (generation, delivery) => ({
  name: `${generation} ${delivery}`,
  use: { generation, delivery }
});
const COLAB = {
  testDir: path.join(__dirname, 'colab'),
  projects: isFull
    ? ['6.17', '7'].flatMap(generation => [
        place(generation, 'strict'),
        place(generation, 'lenient')
      ])
    : [place('6.17', 'strict'), { ...place('7', 'lenient'), grep: /@sample/ }]
};

/** What could be taken away with its folder, and is tested by itself: `make test-wings`. */
const WINGS =
  'badges|dask|demo|dryrun|makeitfit|notebooks|rerun|rescue|scripts|shell|story|timeline|workers|workers-live|workers-many';
const PARTS = {
  core: new RegExp(`/(?:${WINGS})\\.spec\\.ts$`),
  wings: new RegExp(`(?<!/(?:${WINGS}))\\.spec\\.ts$`)
};

/** Both parts of the tests of an application, as projects of their own. */
const parts = ({ testMatch, testIgnore = [] }) =>
  Object.entries(PARTS).map(([name, other]) => ({
    name,
    ...(testMatch && { testMatch }),
    testIgnore: [testIgnore, other].flat()
  }));

/**
 * The applications the tests run in, named by GPU_HEADROOM_APP. Everything is
 * tested in the newest JupyterLab; the others run what their test files name.
 */
const APPS = {
  'lab-4.6': {
    environment: '.venv',
    command: 'lab',
    port: 8961,
    testIgnore: '**/notebook.spec.ts'
  },
  'lab-4.2': {
    environment: '.venvs/lab-4.2',
    command: 'lab',
    port: 8962,
    testMatch: '**/{dryrun,everywhere,panel,smoke}.spec.ts'
  },
  'notebook-7.6': {
    environment: '.venv',
    command: 'notebook',
    port: 8963,
    testMatch:
      '**/{dryrun,everysurface,everywhere,notebook,panel,smoke}.spec.ts'
  },
  'notebook-7.2': {
    environment: '.venvs/lab-4.2',
    command: 'notebook',
    port: 8964,
    testMatch: '**/{dryrun,everywhere,notebook,smoke}.spec.ts'
  },
  // Of some version between these, in an environment that is thrown away: `make matrix`.
  'matrix-lab': {
    environment: '.venvs/matrix',
    command: 'lab',
    port: 9071,
    testMatch: '**/{everywhere,smoke}.spec.ts'
  },
  'matrix-notebook': {
    environment: '.venvs/matrix',
    command: 'notebook',
    port: 9072,
    testMatch: '**/{everywhere,notebook,smoke}.spec.ts'
  },
  // Of a pre-release all that is no wing, as much may have changed there.
  'matrix-core': {
    environment: '.venvs/matrix',
    command: 'lab',
    port: 9073,
    testIgnore: ['**/notebook.spec.ts', PARTS.core]
  },
  colab: COLAB,
  'colab-benchmarks': {
    testDir: path.join(__dirname, 'colab'),
    testMatch: '**/pixel.bench.ts'
  },
  ...hosts,
  ...MEASURES
};

const ROOT = path.dirname(__dirname);
const name = process.env.GPU_HEADROOM_APP ?? 'lab-4.6';
const app = APPS[name];
if (app === undefined) {
  throw new Error(
    `GPU_HEADROOM_APP is ${name}, which is none of ${Object.keys(APPS).join(', ')}.`
  );
}
const { environment, command, port, env, beside, preload, use, ...tests } = app;
if (preload) {
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --require "${preload}"`;
}
const isLab = command === 'lab';
// What measures wants the machine for itself.
const isMeasure = name in MEASURES || name === 'colab-benchmarks';
// A host has one test or two.
const isAlone = isMeasure || name in hosts;
const workers = Number(process.env.GPU_HEADROOM_WORKERS ?? (isAlone ? 1 : 3));

/** Each worker has a server of its own: what a test does to it no other sees. */
const servers = command
  ? Array.from({ length: workers }, (_, worker) => ({
      home: path.join(ROOT, '.make', 'ui-tests', name, `${worker}`),
      port: port + 10 * worker
    }))
  : [];

module.exports = {
  ...galata,
  testDir: path.join(__dirname, 'tests'),
  ...tests,
  ...(isAlone || tests.projects ? {} : { projects: parts(tests) }),
  metadata: { servers },
  outputDir: path.join(__dirname, 'test-results', name),
  reporter: [['list']],
  // A wait ends with what it waits for; these are for what never comes, on the slowest machine.
  expect: { timeout: 90000 },
  // One of two hundred browser tests must not stop a build when a machine stalls;
  // the report still lists it as flaky. By hand, and by `make test`, nothing is tried again.
  retries: process.env.CI ? 1 : 0,
  timeout: 360000,
  // A test waits half of its time, for a page or a kernel to start: three keep two cores busy.
  workers,
  use: {
    ...galata.use,
    appPath: isLab ? '/lab' : '/tree',
    launchOptions: {
      executablePath: process.env.GPU_HEADROOM_CHROMIUM || '/usr/bin/chromium',
      args: [
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-gpu',
        '--disable-quic',
        '--disable-sync',
        '--no-first-run',
        '--no-sandbox'
      ]
    },
    screenshot: 'only-on-failure',
    trace: 'off',
    video: 'off',
    ...use
  },
  webServer: (beside ? [beside()] : []).concat(
    servers.map(server => ({
      command: `"${path.join(ROOT, environment, 'bin', 'jupyter')}" ${command} --config jupyter_server_test_config.py`,
      cwd: __dirname,
      env: {
        GPU_HEADROOM_PORT: `${server.port}`,
        GPU_HEADROOM_UI_TESTS: server.home,
        IPYTHONDIR: path.join(server.home, 'ipython'),
        JUPYTER_CONFIG_DIR: path.join(server.home, 'config'),
        JUPYTER_DATA_DIR: path.join(server.home, 'data'),
        JUPYTER_RUNTIME_DIR: path.join(server.home, 'runtime'),
        JUPYTERLAB_GALATA_ROOT_DIR: path.join(server.home, 'root'),
        // Several kernels compute at a time, on few cores: threads would wait for each other.
        OMP_NUM_THREADS: '1',
        ...env
      },
      gracefulShutdown: { signal: 'SIGTERM', timeout: 10000 },
      reuseExistingServer: false,
      timeout: 120000,
      url: `http://localhost:${server.port}${isLab ? '/lab' : '/tree'}`
    }))
  )
};
