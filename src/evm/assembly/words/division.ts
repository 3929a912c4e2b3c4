// Quotients and remainders of words, and the operations that need them.
import { DIGITS, TEMP } from '../layout'
import { copy, isSmall, isZero, LOW, set, sub } from './u256'

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
