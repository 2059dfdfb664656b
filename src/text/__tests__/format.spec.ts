import {
  formatBytes,
  formatCompared,
  formatPair,
  GIB,
  KIB,
  MIB
} from '../format';

describe('format', () => {
  it.each([
    [0, '0 MiB'],
    [1, '1 bytes'],
    [12 * KIB, '12 KiB'],
    [95 * MIB, '95 MiB'],
    [102 * MIB, '102 MiB'],
    [GIB / 10 + 1, '0.1 GiB'],
    [212 * MIB, '0.2 GiB'],
    [11.24 * GIB, '11.2 GiB'],
    [-GIB, '−1.0 GiB'],
    [2 ** 63, '8589934592.0 GiB']
  ])('should write %d bytes as %j', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [6.3 * GIB, 14.7 * GIB, '6.3 / 14.7 GiB'],
    [0, 14.7 * GIB, '0 / 14.7 GiB'],
    [95 * MIB, 14.7 * GIB, '95 MiB / 14.7 GiB']
  ])('should write %d of %d with the unit once', (left, right, text) => {
    expect(formatPair(left, right)).toBe(text);
  });

  it('should compare sizes below 10 GiB with two decimals', () => {
    expect(formatCompared(2 * GIB, 0.71 * GIB)).toEqual([
      '2.00 GiB',
      '0.71 GiB'
    ]);
    expect(formatCompared(12 * GIB, 2 * GIB)).toEqual(['12.0 GiB', '2.0 GiB']);
  });

  it('should compare in MiB where one size is small and none is large', () => {
    expect(formatCompared(128 * MIB, 42 * MIB)).toEqual(['128 MiB', '42 MiB']);
    expect(formatCompared(-128 * MIB, 12 * KIB)).toEqual([
      '\u2212128 MiB',
      '12 KiB'
    ]);
    expect(formatCompared(2 * GIB, 42 * MIB)).toEqual(['2.00 GiB', '42 MiB']);
  });

  it.each([
    [1610 * MIB, 1608 * MIB, '1610 MiB', '1608 MiB'],
    [12 * GIB + 2 * MIB, 12 * GIB, '12290 MiB', '12288 MiB'],
    [16 * MIB, 15.75 * MIB, '16.00 MiB', '15.75 MiB'],
    [GIB + 512, GIB, '1073742336 bytes', '1073741824 bytes'],
    [GIB, GIB, '1.00 GiB', '1.00 GiB']
  ])('should distinguish %d from %d', (left, right, first, second) => {
    expect(formatCompared(left, right)).toEqual([first, second]);
  });
});
