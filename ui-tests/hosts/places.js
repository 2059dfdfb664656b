const path = require('node:path');

const ROOT = path.dirname(path.dirname(__dirname));
const PYTHON = path.join(ROOT, '.venv', 'bin', 'python');

/** Kernels are those of the first environment: it has PyTorch, these servers have not. */
const KERNELS_ELSEWHERE = {
  GPU_HEADROOM_KERNEL_PYTHON: PYTHON,
  JUPYTER_PREFER_ENV_PATH: '0'
};

const GATEWAY_PORT = 9092;
const HUB_PORT = 9093;

const bin = environment => path.join(ROOT, '.venvs', environment, 'bin');
const homeOf = name => path.join(ROOT, '.make', 'ui-tests', name);

/** What a server beside JupyterLab's has in common with others. */
const server = {
  cwd: __dirname,
  gracefulShutdown: { signal: 'SIGTERM', timeout: 20000 },
  reuseExistingServer: false,
  timeout: 120000
};

/** A gateway for kernels, which has nothing else. */
function gateway() {
  const home = homeOf('kernelgateway');
  return {
    ...server,
    command: `"${bin('gateway')}/jupyter" kernelgateway --config gateway_config.py`,
    env: {
      ...KERNELS_ELSEWHERE,
      GPU_HEADROOM_PORT: `${GATEWAY_PORT}`,
      IPYTHONDIR: path.join(home, 'ipython'),
      JUPYTER_CONFIG_DIR: path.join(home, 'config'),
      JUPYTER_DATA_DIR: path.join(home, 'data'),
      JUPYTER_RUNTIME_DIR: path.join(home, 'runtime'),
      OMP_NUM_THREADS: '1'
    },
    url: `http://127.0.0.1:${GATEWAY_PORT}/api`
  };
}

/** A hub with its proxy; the servers of its users it starts itself. */
function hub() {
  return {
    ...server,
    command: `"${bin('hub')}/jupyterhub" --config jupyterhub_config.py`,
    env: {
      ...KERNELS_ELSEWHERE,
      GPU_HEADROOM_PORT: `${HUB_PORT}`,
      GPU_HEADROOM_PROXY: path.join(
        bin('hub'),
        '../proxy/node_modules/.bin/configurable-http-proxy'
      ),
      GPU_HEADROOM_UI_TESTS: homeOf('hub'),
      PATH: `${bin('hub')}:${process.env.PATH}`
    },
    url: `http://127.0.0.1:${HUB_PORT}/under/hub/login`
  };
}

/**
 * Hosts other than a JupyterLab of one's own in Chromium, a smoke test each, with the
 * real package: `make hosts`.
 */
module.exports = {
  hub: {
    testDir: __dirname,
    testMatch: 'hub.spec.ts',
    beside: hub
  },
  collaboration: {
    environment: '.venvs/collaboration',
    command: 'lab',
    port: 9091,
    env: KERNELS_ELSEWHERE,
    testDir: __dirname,
    testMatch: 'collaboration.spec.ts'
  },
  gateway: {
    environment: '.venv',
    command: 'lab',
    port: 9090,
    env: { GPU_HEADROOM_GATEWAY: `http://127.0.0.1:${GATEWAY_PORT}` },
    beside: gateway,
    testMatch: '**/smoke.spec.ts'
  },
  firefox: {
    environment: '.venv',
    command: 'lab',
    port: 9089,
    testMatch: '**/smoke.spec.ts',
    // An unpatched Firefox, which Playwright drives over WebDriver BiDi.
    preload: path.join(__dirname, 'firefox.js'),
    use: {
      browserName: 'firefox',
      channel: 'moz-firefox',
      // Over BiDi nobody reads the body of a request that galata would answer.
      mockSettings: false,
      mockState: false,
      launchOptions: {
        executablePath:
          process.env.GPU_HEADROOM_FIREFOX || '/usr/bin/firefox-esr'
      }
    }
  },
  static: {
    testDir: __dirname,
    testMatch: 'static.spec.ts'
  }
};
