import { readdirSync } from 'node:fs';

import jupyter from '@jupyter/eslint-plugin';
import { DEFAULT_LONG_LIVED_TYPES } from '@jupyter/eslint-plugin/lib/utils/signal-lifetime.js';
import prettier from 'eslint-config-prettier';
import jest from 'eslint-plugin-jest';
import * as jsonc from 'jsonc-eslint-parser';
import tseslint from 'typescript-eslint';

const SOURCES = ['src/**/*.{ts,tsx}'];
const UNIT_TESTS = ['src/**/__tests__/**/*.{ts,tsx}'];
const UI_TESTS = ['ui-tests/**/*.ts'];

const isForSchemas = rule => rule === 'no-schema-enum';
const isForGalata = rule => /galata|soft-assertions/.test(rule);
const isForSources = rule => !isForSchemas(rule) && !isForGalata(rule);

/** The rules of @jupyter/eslint-plugin that apply, all as errors. */
function jupyterRules(applies) {
  const names = Object.keys(jupyter.rules).filter(applies);
  return Object.fromEntries(names.map(name => [`jupyter/${name}`, 'error']));
}

/** A kernel connection outlives every view of it, as the plugin's own list does. */
const LONG_LIVED = {
  longLivedTypes: [...DEFAULT_LONG_LIVED_TYPES, 'IKernelConnection']
};

/** What any page may read. */
const PURE = ['protocol', 'text', 'memory'];

/** What a view of JupyterLab is made with besides; '' are the files beside the folders. */
const LAB = [...PURE, 'components', '', 'kernel', 'lab'];

/**
 * Which folders of `src` each folder may import from, besides its own, types included:
 * those before it only, so that no folders stand in a circle, as `docs/architecture.md`
 * draws them. `index.ts` imports from all of the core, `wings.ts` from the wings.
 */
const CORE = {
  protocol: [],
  text: ['protocol'],
  memory: ['protocol', 'text'],
  components: PURE,
  '': PURE,
  kernel: [...PURE, ''],
  lab: [...PURE, 'components', '', 'kernel'],
  report: [...PURE, 'components'],
  release: LAB,
  gauge: [...LAB, 'release'],
  panel: [...LAB, 'release'],
  renderer: [...LAB, 'report', 'release']
};

/** An output has no JupyterLab around it. */
const OUTPUTS = [...PURE, 'components', 'report'];

/** Every other folder can be taken away: it may use all of the core, which knows none of it. */
const WINGS = readdirSync(new URL('src', import.meta.url), {
  withFileTypes: true
})
  .filter(each => each.isDirectory() && !/^__/.test(each.name))
  .map(({ name }) => name)
  .filter(name => !(name in CORE) && name !== 'outputs');

const ARROWS = {
  ...CORE,
  outputs: OUTPUTS,
  ...Object.fromEntries(WINGS.map(name => [name, Object.keys(CORE)]))
};

/** The files beside the folders. */
const BESIDE = readdirSync(new URL('src', import.meta.url))
  .filter(name => name.endsWith('.ts'))
  .map(name => name.replace(/(\.d)?\.ts$/, ''))
  .join('|');

/** Has eslint keep to the arrows of one folder. */
function arrowsOf([folder, allowed], index, all) {
  const before = all.slice(0, index).map(([name]) => name);
  const later = allowed.filter(name => !before.includes(name));
  if (later.length > 0) {
    throw new Error(`ARROWS: ${folder} stands before ${later.join(', ')}.`);
  }
  const others = all
    .map(([name]) => name)
    .filter(name => name !== folder && !allowed.includes(name))
    .map(name => (name === '' ? `(?:${BESIDE})$` : `${name}(?:/|$)`));
  const from = folder === '' ? '\\./' : '(?:\\.\\./)+';
  return {
    files: [folder === '' ? 'src/*.ts' : `src/${folder}/**/*.{ts,tsx}`],
    ignores: ['**/__tests__/**', 'src/index.ts', 'src/wings.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^${from}(?:${others.join('|')})`,
              message: `See ARROWS in eslint.config.mjs: not from ${folder || 'src'}.`
            }
          ]
        }
      ]
    }
  };
}

export default tseslint.config(
  {
    ignores: [
      '.make',
      '.venv',
      '.venvs',
      '.yarn',
      'dist',
      'coverage',
      'labextension',
      'lib',
      'python_helper/gpu_headroom/frames',
      'src/kernel/pack.ts',
      'src/protocol/generated',
      'ui-tests/node_modules',
      'ui-tests/playwright-report',
      'ui-tests/test-results'
    ]
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: [...SOURCES, ...UI_TESTS],
    extends: [
      ...tseslint.configs.strictTypeChecked,
      ...tseslint.configs.stylisticTypeChecked
    ],
    plugins: { jupyter },
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.test.json', 'ui-tests/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname
      }
    },
    rules: {
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        },
        {
          selector: 'memberLike',
          modifiers: ['private'],
          format: ['camelCase'],
          leadingUnderscore: 'require'
        }
      ],
      // Gives what a schema says a name of its own, in errors and hints as well.
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowInterfaces: 'with-single-extends' }
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      // JupyterLab keeps the types of a class in a namespace of its name.
      '@typescript-eslint/no-namespace': 'off',
      // A namespace of its name also holds the statics of a widget.
      '@typescript-eslint/no-extraneous-class': 'off',
      // `signal.connect(this._onX, this)` hands a method over together with its
      // `this`; jupyter/require-signal-this-arg sees to the latter.
      '@typescript-eslint/unbound-method': 'off',
      // Numbers and booleans in a sentence are what the sentence is for.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true }
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true }
      ],
      curly: 'error',
      eqeqeq: 'error',
      'no-console': ['error', { allow: ['error', 'warn'] }],
      'no-warning-comments': 'error',
      'prefer-arrow-callback': 'error'
    }
  },
  {
    files: SOURCES,
    rules: {
      ...jupyterRules(isForSources),
      'jupyter/prefer-signal-this-arg': ['error', LONG_LIVED],
      'jupyter/require-signal-cleanup': ['error', LONG_LIVED]
    }
  },
  ...Object.entries(ARROWS).map(arrowsOf),
  {
    files: UNIT_TESTS,
    extends: [jest.configs['flat/recommended'], jest.configs['flat/style']],
    rules: {
      'jest/expect-expect': [
        'error',
        { assertFunctionNames: ['expect', 'expect*'] }
      ],
      // Tests declare plugins and commands that nobody disables or queries.
      'jupyter/command-described-by': 'off',
      'jupyter/command-id-convention': 'off',
      'jupyter/plugin-id-convention': 'off',
      'jupyter/prefer-lazy-imports': 'off',
      // Tests compare with sentences as a person reads them.
      'jupyter/no-untranslated-string': 'off'
    }
  },
  {
    files: UI_TESTS,
    rules: jupyterRules(isForGalata)
  },
  {
    files: ['schema/*.json'],
    plugins: { jupyter },
    languageOptions: { parser: jsonc },
    rules: jupyterRules(isForSchemas)
  },
  prettier
);
