import { gib, message, RELEASED, WORDS } from '../../__tests__/report';
import type { IReleased } from '../../protocol';
import { releasedSentence } from '../outcome';

describe('releasedSentence', () => {
  it.each<[string, Partial<IReleased>, string]>([
    [
      'what was freed, and the headroom before and after',
      {},
      'Freed 12.0 GiB: headroom 1.8 → 13.8 GiB.\n13.0 GiB of cache returned to the GPU. Measured before and after.'
    ],
    [
      'what was freed where the headroom is not known',
      { headroom_after_bytes: null },
      'Freed 12.0 GiB.\n13.0 GiB of cache returned to the GPU. Measured before and after.'
    ],
    [
      'no cache where none was returned',
      { returned_bytes: 0 },
      'Freed 12.0 GiB: headroom 1.8 → 13.8 GiB.\nMeasured before and after.'
    ],
    [
      'what a notification has room for',
      {
        still_held: ['a_long_name_of_one', 'a_long_name_of_two'].map(name => ({
          name,
          kind: 'tensor' as const,
          bytes: gib(10)
        }))
      },
      'Freed 12.0 GiB: headroom 1.8 → 13.8 GiB.\nStill held: a_long_name_of_one 10.0 GiB, a_long_name_of_two 10.0 GiB. Measured before and after.'
    ],
    [
      'the two largest of what is still held',
      {
        still_held: ['model', 'opt', 'x'].map(name => ({
          name,
          kind: 'tensor' as const,
          bytes: gib(1)
        }))
      },
      'Freed 12.0 GiB: headroom 1.8 → 13.8 GiB.\nStill held: model 1.0 GiB, opt 1.0 GiB. 13.0 GiB of cache returned to the GPU.'
    ],
    [
      'why nothing was freed, without marks',
      {
        status: 'nothing',
        freed_bytes: 0,
        message: message('released.nothing_held', {
          in_use_bytes: gib(9),
          name: 'model'
        })
      },
      'Nothing was freed: 9.0 GiB are held by names of yours, most by model.'
    ],
    [
      'the reason where it was done but nothing came back',
      { freed_bytes: 0, message: message('released.nothing') },
      'Nothing was freed.'
    ]
  ])('should show %s', (_, change, expected) => {
    expect(releasedSentence(WORDS, { ...RELEASED, ...change })).toBe(expected);
  });
});
