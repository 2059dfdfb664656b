import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '../..');

/** Without this option a notification is only in JupyterLab's list, not shown. */
const CLOSES = 'autoClose';

it('should show every notification on the page', () => {
  const calls = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !name.includes('__tests__'))
    .flatMap(name => {
      const text = readFileSync(join(SOURCES, name), 'utf8');
      return text
        .split(/\bNotification\.(?:error|info|success|warning)\(/)
        .slice(1)
        .map(rest => ({ name, call: rest.slice(0, rest.indexOf(');')) }));
    });
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter(({ call }) => !call.includes(CLOSES))).toEqual([]);
});
