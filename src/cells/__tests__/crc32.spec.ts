import { crc32 } from '../crc32';

describe('crc32', () => {
  it.each([
    ['', 0],
    ['123456789', 0xcbf43926],
    ['größe = "🙂"', 4286545826]
  ])('should be that of the text %j as UTF-8', (text, expected) => {
    expect(crc32(text)).toBe(expected);
  });
});
