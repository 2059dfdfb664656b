const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) {
    rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return rest;
});

/** The CRC-32 of a text as UTF-8, equal to Python's `zlib.crc32` of the encoded text. */
export function crc32(text: string): number {
  const rest = new TextEncoder()
    .encode(text)
    .reduce((sum, byte) => (sum >>> 8) ^ (TABLE[(sum ^ byte) & 255] ?? 0), -1);
  return ~rest >>> 0;
}
