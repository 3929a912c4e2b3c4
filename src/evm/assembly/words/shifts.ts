// Powers, shifts and the extension of signs.
import { TEMP } from '../layout'
import { copy, isSmall, mul, set } from './u256'

/** The number of bits without leading zeros. */
export function bits(a: usize): i32 {
  for (let i = 3; i >= 0; i--) {
    const x = load<u64>(a + <usize>i * 8)
    if (x != 0) return i * 64 + 64 - <i32>clz(x)
  }
  return 0
}

/** The first sixteen powers of a base. */
const POWERS: usize = TEMP + 2048

export function exp(base: usize, exponent: usize, r: usize): void {
  const length = bits(exponent)
  const b: usize = TEMP + 384
  const e: usize = TEMP + 416
  const p: usize = TEMP + 448
  copy(b, base)
  copy(e, exponent)
  set(p, 1)
  if (isSmall(b) && load<u64>(b) == 2) {
    if (length > 8) set(r, 0)
    else shiftLeft(p, <u32>load<u64>(e), r)
    return
  }
  if (length <= 16) {
    for (let i = length - 1; i >= 0; i--) {
      mul(p, p, p)
      if ((load<u64>(e + <usize>(i >> 6) * 8) >> <u64>(i & 63)) & 1) mul(p, b, p)
    }
  } else {
    // Four bits at a time: of a long exponent's products the squares remain, and a quarter of the others.
    copy(POWERS + 32, b)
    for (let i: usize = 2; i < 16; i++) mul(POWERS + (i - 1) * 32, b, POWERS + i * 32)
    for (let i = (length - 1) >> 2; i >= 0; i--) {
      mul(p, p, p)
      mul(p, p, p)
      mul(p, p, p)
      mul(p, p, p)
      const digit = <usize>((load<u8>(e + <usize>(i >> 1)) >> <u8>((i & 1) * 4)) & 15)
      if (digit != 0) mul(p, POWERS + digit * 32, p)
    }
  }
  copy(r, p)
}

export function shiftLeft(a: usize, n: u32, r: usize): void {
  const x0 = load<u64>(a)
  const x1 = load<u64>(a, 8)
  const x2 = load<u64>(a, 16)
  const x3 = load<u64>(a, 24)
  const s = <u64>(n & 63)
  const limbs = n >> 6
  let y0 = x0 << s
  let y1 = x1 << s
  let y2 = x2 << s
  let y3 = x3 << s
  if (s != 0) {
    const t = 64 - s
    y1 |= x0 >> t
    y2 |= x1 >> t
    y3 |= x2 >> t
  }
  if (limbs == 0) {
  } else if (limbs == 1) {
    y3 = y2
    y2 = y1
    y1 = y0
    y0 = 0
  } else if (limbs == 2) {
    y3 = y1
    y2 = y0
    y1 = 0
    y0 = 0
  } else {
    y3 = y0
    y2 = 0
    y1 = 0
    y0 = 0
  }
  store<u64>(r, y0)
  store<u64>(r, y1, 8)
  store<u64>(r, y2, 16)
  store<u64>(r, y3, 24)
}

/** `fill` is what comes in at the top: 0, or all ones for an arithmetic shift of a negative number. */
export function shiftRight(a: usize, n: u32, r: usize, fill: u64): void {
  const x0 = load<u64>(a)
  const x1 = load<u64>(a, 8)
  const x2 = load<u64>(a, 16)
  const x3 = load<u64>(a, 24)
  const s = <u64>(n & 63)
  const limbs = n >> 6
  let y0 = x0 >> s
  let y1 = x1 >> s
  let y2 = x2 >> s
  let y3 = x3 >> s
  if (s != 0) {
    const t = 64 - s
    y0 |= x1 << t
    y1 |= x2 << t
    y2 |= x3 << t
    y3 |= fill << t
  }
  if (limbs == 0) {
  } else if (limbs == 1) {
    y0 = y1
    y1 = y2
    y2 = y3
    y3 = fill
  } else if (limbs == 2) {
    y0 = y2
    y1 = y3
    y2 = fill
    y3 = fill
  } else {
    y0 = y3
    y1 = fill
    y2 = fill
    y3 = fill
  }
  store<u64>(r, y0)
  store<u64>(r, y1, 8)
  store<u64>(r, y2, 16)
  store<u64>(r, y3, 24)
}

/** `index` is the byte, counted from the lowest, whose top bit is the sign. */
export function signExtend(index: usize, a: usize, r: usize): void {
  const byte = load<u64>(index)
  if (!isSmall(index) || byte > 30) {
    copy(r, a)
    return
  }
  copy(r, a)
  const limb = <usize>(byte >> 3)
  const shift = 56 - (byte & 7) * 8
  const x = <u64>((<i64>(load<u64>(r + limb * 8) << shift)) >> <i64>shift)
  store<u64>(r + limb * 8, x)
  const fill: u64 = <i64>x < 0 ? u64.MAX_VALUE : 0
  for (let i = limb + 1; i < 4; i++) store<u64>(r + i * 8, fill)
}
