import { nullTranslator } from '@jupyterlab/translation';

import { GIB } from '../format';
import { renderMessage, templates, words } from '../messages';

const CATALOGUE = templates(nullTranslator.load('gpu-headroom'));

describe('renderMessage', () => {
  it('should fill the template of an id, with sizes as people read them', () => {
    const text = renderMessage(
      {
        id: 'remedy.free-traceback',
        params: { traceback_bytes: 12 * GIB },
        text: 'English'
      },
      CATALOGUE
    );
    expect(text).toBe("Free 12.0 GiB held by this error's traceback");
  });

  it.each([
    ['an id that the catalogue lacks', 'cause.from-the-future', {}],
    ['an id that every object has', 'constructor', {}],
    ['a missing parameter', 'remedy.free-traceback', {}],
    ['a parameter that is null', 'cause.huge-request.evidence', { line: null }]
  ])('should show the English sentence for %s', (_, id, params) => {
    expect(renderMessage({ id, params, text: 'English' }, CATALOGUE)).toBe(
      'English'
    );
  });

  it('should translate by id', () => {
    const trans = {
      ...nullTranslator.load('gpu-headroom'),
      __: (text: string) => text.toUpperCase()
    };
    const english = { id: 'card.no_cause', params: {}, text: 'English' };
    expect(words(trans).sentence(english)).toBe('NO SINGLE CAUSE STANDS OUT.');
  });
});

describe('words', () => {
  it('should make the catalogue once for each bundle, however often it is asked for', () => {
    const looked = jest.fn((text: string) => text);
    const trans = { ...nullTranslator.load('gpu-headroom'), __: looked };
    const first = words(trans);
    const { length } = looked.mock.calls;
    expect(length).toBe(Object.keys(CATALOGUE).length);
    for (let row = 0; row < 1000; row++) {
      expect(words(trans)).toBe(first);
    }
    first.say('card.no_cause');
    expect(looked).toHaveBeenCalledTimes(length);
    const other = { ...trans, __: (text: string) => text.toUpperCase() };
    expect(words(other).say('card.no_cause')).toBe(
      'NO SINGLE CAUSE STANDS OUT.'
    );
  });
});
