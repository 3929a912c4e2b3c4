// 256-bit integers as four u64 limbs in linear memory, the lowest first. All functions take addresses;
// the result may lie on top of an operand.

export const LOW: u64 = 0xffffffff

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
