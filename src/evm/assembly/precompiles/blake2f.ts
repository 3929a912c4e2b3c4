// EIP-152: the compression function F of BLAKE2b (RFC 7693, section 3.2).

const sigma: StaticArray<u8> = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
  11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
  7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
  9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
  2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
  12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
  13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
  6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
  10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
]

const iv: StaticArray<u64> = [
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]

// @ts-ignore: decorator
@inline
function mix(v: usize, a: usize, b: usize, c: usize, d: usize, x: u64, y: u64): void {
  let va = load<u64>(v + (a << 3))
  let vb = load<u64>(v + (b << 3))
  let vc = load<u64>(v + (c << 3))
  let vd = load<u64>(v + (d << 3))
  va += vb + x
  vd = rotr<u64>(vd ^ va, 32)
  vc += vd
  vb = rotr<u64>(vb ^ vc, 24)
  va += vb + y
  vd = rotr<u64>(vd ^ va, 16)
  vc += vd
  vb = rotr<u64>(vb ^ vc, 63)
  store<u64>(v + (a << 3), va)
  store<u64>(v + (b << 3), vb)
  store<u64>(v + (c << 3), vc)
  store<u64>(v + (d << 3), vd)
}

// @ts-ignore: decorator
@inline
function word(m: usize, row: usize, at: usize): u64 {
  return load<u64>(m + (<usize>load<u8>(row + at) << 3))
}

/** v (16 words) from the state h (8 words), the offset counters and the final flag. */
export function blake2Begin(v: usize, h: usize, t: usize, isFinal: bool): void {
  memory.copy(v, h, 64)
  memory.copy(v + 64, changetype<usize>(iv), 64)
  store<u64>(v + 96, load<u64>(v + 96) ^ load<u64>(t))
  store<u64>(v + 104, load<u64>(v + 104) ^ load<u64>(t, 8))
  if (isFinal) store<u64>(v + 112, ~load<u64>(v + 112))
}

/** Rounds `from` to `to` over the message m (16 words): a caller that may be interrupted takes them in slices. */
export function blake2Rounds(v: usize, m: usize, from: u32, to: u32): void {
  let row = from % 10
  for (let round = from; round < to; round++) {
    const s = changetype<usize>(sigma) + row * 16
    mix(v, 0, 4, 8, 12, word(m, s, 0), word(m, s, 1))
    mix(v, 1, 5, 9, 13, word(m, s, 2), word(m, s, 3))
    mix(v, 2, 6, 10, 14, word(m, s, 4), word(m, s, 5))
    mix(v, 3, 7, 11, 15, word(m, s, 6), word(m, s, 7))
    mix(v, 0, 5, 10, 15, word(m, s, 8), word(m, s, 9))
    mix(v, 1, 6, 11, 12, word(m, s, 10), word(m, s, 11))
    mix(v, 2, 7, 8, 13, word(m, s, 12), word(m, s, 13))
    mix(v, 3, 4, 9, 14, word(m, s, 14), word(m, s, 15))
    row = row == 9 ? 0 : row + 1
  }
}

/** h ^= both halves of v. */
export function blake2End(h: usize, v: usize): void {
  for (let i: usize = 0; i < 64; i += 8)
    store<u64>(h + i, load<u64>(h + i) ^ load<u64>(v + i) ^ load<u64>(v + i + 64))
}
