const jupyterlab = require('@jupyterlab/testutils/lib/jest-config');

// Packages published as ES modules only, which Jest has to translate.
const esModules = [
  '@codemirror',
  '@jupyter/',
  '@jupyterlab/',
  '@microsoft/',
  '@rjsf',
  'd3',
  'delaunator',
  'exenv-es6',
  'internmap',
  'lib0',
  'marked',
  'nanoid',
  'p-limit',
  'preact',
  'robust-predicates',
  'uuid',
  'vscode-ws-jsonrpc',
  'y-protocols',
  'y-websocket',
  'yjs',
  'yocto-queue'
].join('|');

const base = jupyterlab(__dirname);

/** Options of swc, which compiles as `tsconfig.json` asks TypeScript to. */
const translated = parser => ({
  jsc: {
    parser,
    target: 'es2020',
    transform: { react: { runtime: 'classic' }, useDefineForClassFields: false }
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline'
});

module.exports = {
  ...base,
  collectCoverageFrom: [
    'src/**/*.{ts,tsx}',
    '!src/**/*.d.ts',
    '!src/**/__tests__/**',
    '!src/kernel/pack.ts'
  ],
  coverageReporters: ['text-summary', 'lcov'],
  // By itself it leaves a core alone, which is half of two.
  maxWorkers: '100%',
  // The packed manifest of a built extension repeats the package's name.
  modulePathIgnorePatterns: [
    '<rootDir>/.venv',
    '<rootDir>/dist',
    '<rootDir>/labextension',
    '<rootDir>/ui-tests'
  ],
  reporters: ['default'],
  roots: ['<rootDir>/src'],
  testPathIgnorePatterns: ['/node_modules/'],
  testRegex: '/__tests__/.*\\.spec\\.tsx?$',
  // `jlpm types` checks types, so files are only translated.
  transform: {
    '\\.svg$': base.transform['\\.svg$'],
    '^.+\\.tsx?$': [
      '@swc/jest',
      translated({ syntax: 'typescript', tsx: true })
    ],
    '^.+\\.jsx?$': [
      '@swc/jest',
      translated({ syntax: 'ecmascript', jsx: true })
    ]
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules}))`]
};
