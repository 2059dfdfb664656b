import { Gettext, nullTranslator } from '@jupyterlab/translation';

import type { IMessage } from '../../protocol';
import { GIB } from '../format';
import { words } from '../messages';

const TEMPLATE = "Free {traceback_bytes} held by this error's traceback";

/** A language pack with one sentence. */
function language(sentences: Record<string, string>): Gettext {
  const trans = new Gettext({ domain: 'gpu-headroom', locale: 'ach-UG' });
  trans.loadJSON(
    {
      '': { language: 'ach-UG', pluralForms: 'nplurals=1; plural=0;' },
      ...Object.fromEntries(
        Object.entries(sentences).map(([id, text]) => [id, [text]])
      )
    } as never,
    'gpu-headroom'
  );
  return trans;
}

function message(changes: Partial<IMessage>): IMessage {
  return { id: 'any', template: '', params: {}, text: 'English', ...changes };
}

describe('words', () => {
  const english = words(nullTranslator.load('gpu-headroom'));
  const foreign = words(language({ [TEMPLATE]: '⟦{traceback_bytes} frei⟧' }));

  it('should fill the template, with sizes as people read them', () => {
    const params = { traceback_bytes: 12 * GIB };
    const said = message({ template: TEMPLATE, params });
    expect(english.sentence(said)).toBe(
      "Free 12.0 GiB held by this error's traceback"
    );
    expect(foreign.sentence(said)).toBe('⟦12.0 GiB frei⟧');
  });

  it('should fill placeholders only, for any value', () => {
    const params = { name: '{value} %1 $& ⟦', value: 'x' };
    const said = message({ template: '{name}', params });
    expect(english.sentence(said)).toBe('{value} %1 $& ⟦');
  });

  it.each([
    ['a missing value', TEMPLATE, {}],
    ['a value that every object has', '{constructor}', {}],
    ['a value that is null', 'line {line}', { line: null }]
  ])('should show the English text for %s', (_, template, params) => {
    const said = message({ template, params });
    expect(english.sentence(said)).toBe('English');
    expect(foreign.sentence(said)).toBe('English');
  });

  it.each(['constructor', 'toString', '__proto__', '', '%1', '%%', 'a\u0004b'])(
    'should show the template %j of a tampered notebook as some text',
    template => {
      for (const { sentence } of [english, foreign]) {
        expect(sentence(message({ template }))).not.toMatch(/undefined|\[/);
      }
    }
  );
});
