// 256-bit integers as four u64 limbs in linear memory, the lowest first. All functions take addresses;
// the result may lie on top of an operand.
import { DIGITS, TEMP } from './layout'

const LOW: u64 = 0xffffffff

@inline
export function isZero(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0
}

/** Does it fit one limb? */
@inline
export function isSmall(a: usize): bool {
  return (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0
}

@inline
export function set(a: usize, low: u64): void {
  store<u64>(a, low)
  store<u64>(a, 0, 8)
  store<u64>(a, 0, 16)
  store<u64>(a, 0, 24)
}

@inline
export function copy(to: usize, from: usize): void {
  const x0 = load<u64>(from)
  const x1 = load<u64>(from, 8)
  const x2 = load<u64>(from, 16)
  const x3 = load<u64>(from, 24)
  store<u64>(to, x0)
  store<u64>(to, x1, 8)
  store<u64>(to, x2, 16)
  store<u64>(to, x3, 24)
}

@inline
export function equal(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ==
    0
  )
}

@inline
export function less(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  if (a3 != b3) return a3 < b3
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  if (a2 != b2) return a2 < b2
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  if (a1 != b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

@inline
export function signedLess(a: usize, b: usize): bool {
  const a3 = load<i64>(a, 24)
  const b3 = load<i64>(b, 24)
  if (a3 != b3) return a3 < b3
  return less(a, b)
}

@inline
export function add(a: usize, b: usize, r: usize): void {
  const a0 = load<u64>(a)
  const s0 = a0 + load<u64>(b)
  let c = u64(s0 < a0)
  const a1 = load<u64>(a, 8)
  const t1 = a1 + load<u64>(b, 8)
  const s1 = t1 + c
  c = u64(t1 < a1) | u64(s1 < c)
  const a2 = load<u64>(a, 16)
  const t2 = a2 + load<u64>(b, 16)
  const s2 = t2 + c
  c = u64(t2 < a2) | u64(s2 < c)
  const s3 = load<u64>(a, 24) + load<u64>(b, 24) + c
  store<u64>(r, s0)
  store<u64>(r, s1, 8)
  store<u64>(r, s2, 16)
  store<u64>(r, s3, 24)
}

@inline
export function sub(a: usize, b: usize, r: usize): void {
  const a0 = load<u64>(a)
  const b0 = load<u64>(b)
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  const d0 = a0 - b0
  let c = u64(a0 < b0)
  const t1 = a1 - b1
  const d1 = t1 - c
  c = u64(a1 < b1) | u64(t1 < c)
  const t2 = a2 - b2
  const d2 = t2 - c
  c = u64(a2 < b2) | u64(t2 < c)
  const d3 = load<u64>(a, 24) - load<u64>(b, 24) - c
  store<u64>(r, d0)
  store<u64>(r, d1, 8)
  store<u64>(r, d2, 16)
  store<u64>(r, d3, 24)
}

/** The upper half of the 128-bit product. */
@inline
export function mulHigh(a: u64, b: u64): u64 {
  const al = a & LOW
  const ah = a >> 32
  const bl = b & LOW
  const bh = b >> 32
  const p1 = ah * bl + ((al * bl) >> 32)
  const p2 = al * bh + (p1 & LOW)
  return ah * bh + (p1 >> 32) + (p2 >> 32)
}

function mulWide(a: usize, b: usize, r: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  const r0 = a0 * b0
  let r1 = mulHigh(a0, b0)
  let r2: u64 = 0
  let r3: u64 = a0 * b3 + a3 * b0 + a1 * b2 + a2 * b1
  if ((a1 | b1) != 0) {
    let lo = a0 * b1
    r1 += lo
    let hi = mulHigh(a0, b1) + u64(r1 < lo)
    r2 = hi
    lo = a1 * b0
    r1 += lo
    hi = mulHigh(a1, b0) + u64(r1 < lo)
    r2 += hi
    r3 += u64(r2 < hi)
    lo = a1 * b1
    r2 += lo
    r3 += mulHigh(a1, b1) + u64(r2 < lo)
  }
  if ((a2 | b2) != 0) {
    let lo = a0 * b2
    r2 += lo
    r3 += mulHigh(a0, b2) + u64(r2 < lo)
    lo = a2 * b0
    r2 += lo
    r3 += mulHigh(a2, b0) + u64(r2 < lo)
  }
  store<u64>(r, r0)
  store<u64>(r, r1, 8)
  store<u64>(r, r2, 16)
  store<u64>(r, r3, 24)
}

@inline
export function mul(a: usize, b: usize, r: usize): void {
  if (isSmall(a) && isSmall(b)) {
    const x = load<u64>(a)
    const y = load<u64>(b)
    store<u64>(r, x * y)
    store<u64>(r, (x | y) >> 32 == 0 ? 0 : mulHigh(x, y), 8)
    store<u64>(r, 0, 16)
    store<u64>(r, 0, 24)
  } else mulWide(a, b, r)
}

/** All 512 bits, as sixteen 32-bit digits at `r`. */
function mulFull(a: usize, b: usize, r: usize): void {
  memory.fill(r, 0, 64)
  for (let i: usize = 0; i < 8; i++) {
    let carry: u64 = 0
    const x = <u64>load<u32>(a + i * 4)
    if (x == 0) continue
    for (let j: usize = 0; j < 8; j++) {
      const at = r + (i + j) * 4
      const t = x * <u64>load<u32>(b + j * 4) + <u64>load<u32>(at) + carry
      store<u32>(at, <u32>t)
      carry = t >> 32
    }
    store<u32>(r + (i + 8) * 4, <u32>carry)
  }
}

function digits(a: usize, count: i32): i32 {
  while (count > 0 && load<u32>(a + <usize>(count - 1) * 4) == 0) count--
  return count
}

const NUM: usize = DIGITS
const DEN: usize = DIGITS + 128

/**
 * Knuth's algorithm D on 32-bit digits: `n` digits at `num` by the non-zero 256-bit `den`.
 * The remainder goes to `rem` (32 bytes); the quotient's lowest eight digits to `quo` unless that is 0.
 */
function divide(num: usize, n: i32, den: usize, quo: usize, rem: usize): void {
  n = digits(num, n)
  const m = digits(den, 8)
  if (n < m) {
    memory.copy(TEMP, num, <usize>n * 4)
    memory.fill(TEMP + <usize>n * 4, 0, 32 - <usize>n * 4)
    if (quo != 0) set(quo, 0)
    if (rem != 0) copy(rem, TEMP)
    return
  }
  if (m == 1) {
    const d = <u64>load<u32>(den)
    memory.fill(TEMP, 0, 64)
    let r: u64 = 0
    for (let i = n - 1; i >= 0; i--) {
      const x = (r << 32) | <u64>load<u32>(num + <usize>i * 4)
      const q = x / d
      store<u32>(TEMP + <usize>i * 4, <u32>q)
      r = x - q * d
    }
    if (quo != 0) copy(quo, TEMP)
    if (rem != 0) set(rem, r)
    return
  }
  const shift = <u64>clz(load<u32>(den + <usize>(m - 1) * 4))
  const back = 32 - shift
  for (let i = m - 1; i > 0; i--) {
    const hi = <u64>load<u32>(den + <usize>i * 4)
    const lo = <u64>load<u32>(den + <usize>(i - 1) * 4)
    store<u32>(DEN + <usize>i * 4, <u32>((hi << shift) | (lo >> back)))
  }
  store<u32>(DEN, <u32>(<u64>load<u32>(den) << shift))
  store<u32>(NUM + <usize>n * 4, <u32>(<u64>load<u32>(num + <usize>(n - 1) * 4) >> back))
  for (let i = n - 1; i > 0; i--) {
    const hi = <u64>load<u32>(num + <usize>i * 4)
    const lo = <u64>load<u32>(num + <usize>(i - 1) * 4)
    store<u32>(NUM + <usize>i * 4, <u32>((hi << shift) | (lo >> back)))
  }
  store<u32>(NUM, <u32>(<u64>load<u32>(num) << shift))
  memory.fill(TEMP, 0, 64)
  const d1 = <u64>load<u32>(DEN + <usize>(m - 1) * 4)
  const d2 = <u64>load<u32>(DEN + <usize>(m - 2) * 4)
  for (let j = n - m; j >= 0; j--) {
    const top = NUM + <usize>(j + m) * 4
    const x = (<u64>load<u32>(top) << 32) | <u64>load<u32>(top - 4)
    let q = x / d1
    let r = x - q * d1
    while (q > LOW || q * d2 > ((r << 32) | <u64>load<u32>(top - 8))) {
      q--
      r += d1
      if (r > LOW) break
    }
    let borrow: i64 = 0
    let carry: u64 = 0
    for (let i = 0; i < m; i++) {
      const at = NUM + <usize>(i + j) * 4
      const p = q * <u64>load<u32>(DEN + <usize>i * 4) + carry
      carry = p >> 32
      const t = <i64>load<u32>(at) - borrow - <i64>(p & LOW)
      store<u32>(at, <u32>t)
      borrow = t < 0 ? 1 : 0
    }
    const t = <i64>load<u32>(top) - borrow - <i64>carry
    store<u32>(top, <u32>t)
    if (t < 0) {
      q--
      carry = 0
      for (let i = 0; i < m; i++) {
        const at = NUM + <usize>(i + j) * 4
        const s = <u64>load<u32>(at) + <u64>load<u32>(DEN + <usize>i * 4) + carry
        store<u32>(at, <u32>s)
        carry = s >> 32
      }
      store<u32>(top, load<u32>(top) + <u32>carry)
    }
    store<u32>(TEMP + <usize>j * 4, <u32>q)
  }
  if (quo != 0) copy(quo, TEMP)
  if (rem != 0) {
    memory.fill(TEMP, 0, 32)
    for (let i = 0; i < m; i++) {
      const lo = <u64>load<u32>(NUM + <usize>i * 4)
      const hi = <u64>load<u32>(NUM + <usize>(i + 1) * 4)
      store<u32>(TEMP + <usize>i * 4, <u32>((lo >> shift) | (hi << back)))
    }
    copy(rem, TEMP)
  }
}

export function div(a: usize, b: usize, r: usize): void {
  if (isSmall(b)) {
    const d = load<u64>(b)
    if (d == 0) return set(r, 0)
    if (isSmall(a)) return set(r, load<u64>(a) / d)
  }
  divide(a, 8, b, r, 0)
}

export function mod(a: usize, b: usize, r: usize): void {
  if (isSmall(b)) {
    const d = load<u64>(b)
    if (d == 0) return set(r, 0)
    if (isSmall(a)) return set(r, load<u64>(a) % d)
  }
  divide(a, 8, b, 0, r)
}

function negate(a: usize, r: usize): void {
  set(TEMP + 64, 0)
  sub(TEMP + 64, a, r)
}

const LEFT: usize = TEMP + 128
const RIGHT: usize = TEMP + 160

function absolutes(a: usize, b: usize): void {
  if (load<i64>(a, 24) < 0) negate(a, LEFT)
  else copy(LEFT, a)
  if (load<i64>(b, 24) < 0) negate(b, RIGHT)
  else copy(RIGHT, b)
}

export function sdiv(a: usize, b: usize, r: usize): void {
  const negative = (load<i64>(a, 24) ^ load<i64>(b, 24)) < 0
  absolutes(a, b)
  div(LEFT, RIGHT, r)
  if (negative) negate(r, r)
}

export function smod(a: usize, b: usize, r: usize): void {
  const negative = load<i64>(a, 24) < 0
  absolutes(a, b)
  mod(LEFT, RIGHT, r)
  if (negative) negate(r, r)
}

export function addMod(a: usize, b: usize, m: usize, r: usize): void {
  if (isZero(m)) return set(r, 0)
  const wide: usize = TEMP + 256
  let carry: u64 = 0
  for (let i: usize = 0; i < 8; i++) {
    const t = <u64>load<u32>(a + i * 4) + <u64>load<u32>(b + i * 4) + carry
    store<u32>(wide + i * 4, <u32>t)
    carry = t >> 32
  }
  store<u32>(wide, <u32>carry, 32)
  divide(wide, 9, m, 0, r)
}

export function mulMod(a: usize, b: usize, m: usize, r: usize): void {
  if (isZero(m)) return set(r, 0)
  const wide: usize = TEMP + 256
  mulFull(a, b, wide)
  divide(wide, 16, m, 0, r)
}

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

/** 32 bytes, the highest first, to limbs. */
@inline
export function fromBytes(bytes: usize, r: usize): void {
  const x0 = load<u64>(bytes, 24)
  const x1 = load<u64>(bytes, 16)
  const x2 = load<u64>(bytes, 8)
  const x3 = load<u64>(bytes)
  store<u64>(r, bswap<u64>(x0))
  store<u64>(r, bswap<u64>(x1), 8)
  store<u64>(r, bswap<u64>(x2), 16)
  store<u64>(r, bswap<u64>(x3), 24)
}

@inline
export function toBytes(a: usize, bytes: usize): void {
  const x0 = load<u64>(a)
  const x1 = load<u64>(a, 8)
  const x2 = load<u64>(a, 16)
  const x3 = load<u64>(a, 24)
  store<u64>(bytes, bswap<u64>(x3))
  store<u64>(bytes, bswap<u64>(x2), 8)
  store<u64>(bytes, bswap<u64>(x1), 16)
  store<u64>(bytes, bswap<u64>(x0), 24)
}

/** The lowest 20 bytes of a word as bytes, the highest first. */
export function toAddressBytes(a: usize, bytes: usize): void {
  store<u32>(bytes, bswap<u32>(load<u32>(a, 16)))
  store<u64>(bytes, bswap<u64>(load<u64>(a, 8)), 4)
  store<u64>(bytes, bswap<u64>(load<u64>(a)), 12)
}

/** 20 bytes to a word. */
export function fromAddressBytes(bytes: usize, r: usize): void {
  const x2 = <u64>bswap<u32>(load<u32>(bytes))
  const x1 = bswap<u64>(load<u64>(bytes, 4))
  const x0 = bswap<u64>(load<u64>(bytes, 12))
  store<u64>(r, x0)
  store<u64>(r, x1, 8)
  store<u64>(r, x2, 16)
  store<u64>(r, 0, 24)
}
