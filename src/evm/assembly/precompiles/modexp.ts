// Modular multiplication on little-endian u32 limbs in linear memory. The caller lays out memory, converts into and
// out of Montgomery form and walks over the exponent in slices; here are the loops that cost time.

/** out = a × b × 2^(-32n) mod m for odd m; `inverse` is -m^(-1) mod 2^32, `t` scratch of n + 2 limbs. */
export function montgomeryMultiply(
  out: usize, a: usize, b: usize, m: usize, t: usize, n: u32, inverse: u32,
): void {
  memory.fill(t, 0, (n + 2) << 2)
  for (let i: u32 = 0; i < n; i++) {
    const ai: u64 = load<u32>(a + (i << 2))
    let carry: u64 = 0
    for (let j: u32 = 0; j < n; j++) {
      const at = t + (j << 2)
      const sum: u64 = <u64>load<u32>(at) + ai * <u64>load<u32>(b + (j << 2)) + carry
      store<u32>(at, <u32>sum)
      carry = sum >> 32
    }
    let top: u64 = <u64>load<u32>(t + (n << 2)) + carry
    store<u32>(t + (n << 2), <u32>top)
    store<u32>(t + (n << 2), <u32>(top >> 32), 4)

    const low: u32 = load<u32>(t)
    const factor: u32 = low * inverse // wraps
    const q: u64 = factor
    carry = (<u64>low + q * <u64>load<u32>(m)) >> 32
    for (let j: u32 = 1; j < n; j++) {
      const at = t + (j << 2)
      const sum: u64 = <u64>load<u32>(at) + q * <u64>load<u32>(m + (j << 2)) + carry
      store<u32>(at - 4, <u32>sum)
      carry = sum >> 32
    }
    top = <u64>load<u32>(t + (n << 2)) + carry
    store<u32>(t + (n << 2) - 4, <u32>top)
    store<u32>(t + (n << 2), load<u32>(t + (n << 2), 4) + <u32>(top >> 32))
  }
  subtractOnce(out, t, m, n)
}

/** out = t - m where t (n + 1 limbs, below 2m) is not below m, else t. */
function subtractOnce(out: usize, t: usize, m: usize, n: u32): void {
  let reaches = load<u32>(t + (n << 2)) != 0
  if (!reaches) {
    reaches = true
    for (let i: i32 = <i32>n - 1; i >= 0; i--) {
      const left = load<u32>(t + (<usize>i << 2))
      const right = load<u32>(m + (<usize>i << 2))
      if (left != right) {
        reaches = left > right
        break
      }
    }
  }
  if (!reaches) {
    memory.copy(out, t, n << 2)
    return
  }
  let borrow: u64 = 0
  for (let i: u32 = 0; i < n; i++) {
    const difference: u64 = <u64>load<u32>(t + (i << 2)) - <u64>load<u32>(m + (i << 2)) - borrow
    store<u32>(out + (i << 2), <u32>difference)
    borrow = (difference >> 32) & 1
  }
}

/** out = a × b mod 2^(32n), by way of `t`. */
export function lowMultiply(out: usize, a: usize, b: usize, t: usize, n: u32): void {
  memory.fill(t, 0, n << 2)
  for (let i: u32 = 0; i < n; i++) {
    const ai: u64 = load<u32>(a + (i << 2))
    if (ai == 0) continue
    let carry: u64 = 0
    for (let j: u32 = 0; j < n - i; j++) {
      const at = t + ((i + j) << 2)
      const sum: u64 = <u64>load<u32>(at) + ai * <u64>load<u32>(b + (j << 2)) + carry
      store<u32>(at, <u32>sum)
      carry = sum >> 32
    }
  }
  memory.copy(out, t, n << 2)
}

/** For each byte of the exponent: acc = acc^256 × table[high digit]^16 × table[low digit]; 16 entries of n limbs. */
export function montgomerySlice(
  acc: usize, table: usize, m: usize, t: usize, n: u32, inverse: u32, exponent: usize, length: u32,
): void {
  for (let i: u32 = 0; i < length; i++) {
    const byte: u32 = load<u8>(exponent + i)
    for (let half = 0; half < 2; half++) {
      for (let k = 0; k < 4; k++) montgomeryMultiply(acc, acc, acc, m, t, n, inverse)
      const digit = half == 0 ? byte >> 4 : byte & 15
      if (digit != 0) montgomeryMultiply(acc, acc, table + ((digit * n) << 2), m, t, n, inverse)
    }
  }
}

/** The same modulo 2^(32n). */
export function lowSlice(acc: usize, table: usize, t: usize, n: u32, exponent: usize, length: u32): void {
  for (let i: u32 = 0; i < length; i++) {
    const byte: u32 = load<u8>(exponent + i)
    for (let half = 0; half < 2; half++) {
      for (let k = 0; k < 4; k++) lowMultiply(acc, acc, acc, t, n)
      const digit = half == 0 ? byte >> 4 : byte & 15
      if (digit != 0) lowMultiply(acc, acc, table + ((digit * n) << 2), t, n)
    }
  }
}

/** For a modulus of at most 64 bits: everything in registers. Values are in Montgomery form by 2^64. */
export function wordSlice(
  acc: u64, table: usize, m: u64, inverse: u64, exponent: usize, length: u32,
): u64 {
  for (let i: u32 = 0; i < length; i++) {
    const byte: u32 = load<u8>(exponent + i)
    for (let half = 0; half < 2; half++) {
      for (let k = 0; k < 4; k++) acc = wordMultiply(acc, acc, m, inverse)
      const digit = half == 0 ? byte >> 4 : byte & 15
      if (digit != 0) acc = wordMultiply(acc, load<u64>(table + (digit << 3)), m, inverse)
    }
  }
  return acc
}

// @ts-ignore: decorator
@inline
function highProduct(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff
  const a1 = a >> 32
  const b0 = b & 0xffffffff
  const b1 = b >> 32
  const low = a0 * b0
  const middle = a1 * b0 + (low >> 32)
  const other = a0 * b1 + (middle & 0xffffffff)
  return a1 * b1 + (middle >> 32) + (other >> 32)
}

/** a × b × 2^(-64) mod m for odd m; `inverse` is m^(-1) mod 2^64 (with this sign no carry of the low half is needed). */
export function wordMultiply(a: u64, b: u64, m: u64, inverse: u64): u64 {
  const high = highProduct(a, b)
  const q = a * b * inverse
  const reduced = highProduct(q, m)
  return high >= reduced ? high - reduced : high - reduced + m
}
