import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { kernel, kernelMemory, scratch } from './kernel.ts'

/**
 * base^exponent mod modulus, at a speed that depends on the lengths and not on the values: an odd modulus by
 * Montgomery's method, an even one as odd part and power of two, joined by the Chinese remainder theorem.
 */

type Interrupt = (() => boolean) | undefined

/** Returns the power for one kind of modulus; undefined if interrupted. */
type Power = (base: bigint, exponent: Uint8Array, modulus: bigint, interrupt: Interrupt) => bigint | undefined

/**
 * The most limbs for the kernel: with more, BigInt's better algorithms are faster than its schoolbook loops.
 */
const maxKernelLimbs = 512
/** The limb products between two polls of the interrupt: about a millisecond. */
const sliceWork = 1_000_000

const word = 2n ** 64n
/** From so many bytes of exponent on, a table of the powers of every byte is worth its making. */
const tableLength = 256

/** Returns base^exponent mod modulus, zero for a modulus of zero, and undefined if interrupted. */
export const modularPower = (
  base: bigint,
  exponent: Uint8Array,
  modulus: bigint,
  interrupt?: () => boolean,
): bigint | undefined => {
  if (modulus <= 1n) return 0n
  const first = exponent.findIndex((byte) => byte !== 0)
  if (first < 0) return 1n
  const significant = exponent.subarray(first)
  const reduced = base % modulus
  if (reduced <= 1n) return reduced
  if (modulus <= 256n) {
    const power = significant.length < tableLength ? smallPower : byteModulusPower
    return power(Number(reduced), significant, Number(modulus))
  }
  // For a few products the preparations below are not worth it.
  if (significant.length <= 2) return bigPower(reduced, significant, (value) => value % modulus, interrupt)
  if (modulus % 2n === 1n) return oddPower(reduced, significant, modulus, interrupt)
  return evenPower(reduced, significant, modulus, interrupt)
}

/** Returns the power for a modulus of one byte by square and multiply. */
const smallPower = (base: number, exponent: Uint8Array, modulus: number): bigint => {
  let result = 1
  for (const byte of exponent)
    for (let bit = 0x80; bit > 0; bit >>= 1) {
      result = (result * result) % modulus
      if ((byte & bit) !== 0) result = (result * base) % modulus
    }
  return BigInt(result)
}

/**
 * Returns the power for a modulus of one byte, with one step for each byte of the exponent, because before
 * EIP-2565 such an iteration costs only a twentieth of a gas.
 */
const byteModulusPower = (base: number, exponent: Uint8Array, modulus: number): bigint => {
  const powers = new Uint8Array(256)
  for (let index = 0, power = 1 % modulus; index < 256; index++, power = (power * base) % modulus)
    powers[index] = power
  const to256 = Uint8Array.from({ length: modulus }, (_, value) => {
    let power = value
    for (let squarings = 0; squarings < 8; squarings++) power = (power * power) % modulus
    return power
  })
  let result = 1
  for (const byte of exponent) result = ((to256[result] as number) * (powers[byte] as number)) % modulus
  return BigInt(result)
}

/** Returns base^exponent for a modulus 2^k × odd, k > 0 (Koç, "Montgomery reduction with even modulus"). */
const evenPower: Power = (base, exponent, modulus, interrupt) => {
  let bits = 0n
  while (((modulus >> bits) & 0xffff_ffffn) === 0n) bits += 32n
  while (((modulus >> bits) & 1n) === 0n) bits++
  const odd = modulus >> bits
  const mask = (1n << bits) - 1n
  const low = lowPower(base & mask, exponent, Number(bits), interrupt)
  if (low === undefined) return undefined
  if (odd === 1n) return low & mask
  const high = oddPower(base % odd, exponent, odd, interrupt)
  if (high === undefined) return undefined
  const difference = (low - high) & mask
  return high + odd * ((difference * inverseOfOdd(odd, bits)) & mask)
}

/** Returns odd^(-1) mod 2^bits, by Newton's iteration: each step doubles the correct bits. */
const inverseOfOdd = (odd: bigint, bits: bigint): bigint => {
  let inverse = odd & 7n // an odd number is its own inverse mod 8
  for (let known = 3n; known < bits; known *= 2n)
    inverse = BigInt.asUintN(Number(known * 2n), inverse * (2n - odd * inverse))
  return BigInt.asUintN(Number(bits), inverse)
}

const oddPower: Power = (base, exponent, modulus, interrupt) => {
  if (modulus === 1n || base === 0n) return 0n
  if (modulus < word) return wordPower(base, exponent, modulus, interrupt)
  const limbs = limbsOf(modulus)
  if (limbs > maxKernelLimbs) return bigPower(base, exponent, (value) => value % modulus, interrupt)
  const size = limbs * 4
  const memory = kernelMemory(size * 20 + 16 + exponent.length)
  const table = scratch
  const m = table + 16 * size
  const acc = m + size
  const t = acc + size
  const digits = t + size + 16
  const radix = BigInt(limbs * 32)
  writeLimbs(memory, m, modulus, size)
  writeLimbs(memory, table, (1n << radix) % modulus, size)
  writeLimbs(memory, table + size, (base << radix) % modulus, size)
  memory.copyWithin(acc, table, table + size)
  const inverse = Number(2n ** 32n - inverseOfOdd(modulus & 0xffff_ffffn, 32n))
  for (let power = 2; power < 16; power++)
    kernel.montgomeryMultiply(
      table + power * size,
      table + (power - 1) * size,
      table + size,
      m,
      t,
      limbs,
      inverse,
    )
  const done = inSlices(memory, digits, exponent, limbs * limbs * 2, interrupt, (at, length) =>
    kernel.montgomerySlice(acc, table, m, t, limbs, inverse, at, length),
  )
  if (!done) return undefined
  // Multiplication by one converts out of Montgomery form.
  writeLimbs(memory, table, 1n, size)
  kernel.montgomeryMultiply(acc, acc, table, m, t, limbs, inverse)
  return readLimbs(memory, acc, size)
}

const wordPower: Power = (base, exponent, modulus, interrupt) => {
  const memory = kernelMemory(128 + exponent.length)
  const inverse = inverseOfOdd(modulus, 64n)
  const one = word % modulus
  const first = (base * word) % modulus
  const table = new DataView(memory.buffer, scratch, 128)
  let power = one
  for (let index = 0; index < 16; index++) {
    table.setBigUint64(index * 8, power, true)
    power = BigInt.asUintN(64, kernel.wordMultiply(power, first, modulus, inverse))
  }
  let acc = one
  const done = inSlices(memory, scratch + 128, exponent, 8, interrupt, (at, length) => {
    acc = kernel.wordSlice(acc, scratch, modulus, inverse, at, length)
  })
  return done ? BigInt.asUintN(64, kernel.wordMultiply(acc, 1n, modulus, inverse)) : undefined
}

/** Returns the power modulo 2^bits, correct in at least that many low bits. */
const lowPower = (
  base: bigint,
  exponent: Uint8Array,
  bits: number,
  interrupt: Interrupt,
): bigint | undefined => {
  const limbs = Math.ceil(bits / 32)
  if (limbs > maxKernelLimbs)
    return bigPower(base, exponent, (value) => BigInt.asUintN(bits, value), interrupt)
  const size = limbs * 4
  const memory = kernelMemory(size * 19 + exponent.length)
  const table = scratch
  const acc = table + 16 * size
  const t = acc + size
  const digits = t + size
  writeLimbs(memory, table, 1n, size)
  writeLimbs(memory, table + size, base, size)
  memory.copyWithin(acc, table, table + size)
  for (let power = 2; power < 16; power++)
    kernel.lowMultiply(table + power * size, table + (power - 1) * size, table + size, t, limbs)
  const done = inSlices(memory, digits, exponent, limbs * limbs, interrupt, (at, length) =>
    kernel.lowSlice(acc, table, t, limbs, at, length),
  )
  return done ? readLimbs(memory, acc, size) : undefined
}

/** Returns the power by plain square and multiply over BigInt, four bits at a time. */
const bigPower = (
  base: bigint,
  exponent: Uint8Array,
  reduce: (value: bigint) => bigint,
  interrupt: Interrupt,
): bigint | undefined => {
  const table = [1n, base]
  // A table is not worth it for a short exponent.
  const width = exponent.length > 4 ? 4 : 1
  while (table.length < 1 << width) table.push(reduce((table.at(-1) as bigint) * base))
  let result = 1n
  for (const byte of exponent) {
    for (let shift = 8 - width; shift >= 0; shift -= width) {
      if (interrupt?.()) return undefined
      if (result !== 1n) for (let step = 0; step < width; step++) result = reduce(result * result)
      const digit = (byte >> shift) & ((1 << width) - 1)
      if (digit !== 0) result = reduce(result * (table[digit] as bigint))
    }
  }
  return result
}

const inSlices = (
  memory: Uint8Array,
  at: number,
  exponent: Uint8Array,
  workPerProduct: number,
  interrupt: Interrupt,
  step: (at: number, length: number) => void,
): boolean => {
  memory.set(exponent, at)
  const length = Math.max(1, Math.floor(sliceWork / (workPerProduct * 10)))
  for (let from = 0; from < exponent.length; from += length) {
    if (interrupt?.()) return false
    step(at + from, Math.min(length, exponent.length - from))
  }
  return true
}

const limbsOf = (value: bigint): number => Math.ceil(value.toString(16).length / 8)

const writeLimbs = (memory: Uint8Array, at: number, value: bigint, size: number): void => {
  memory.set(fromBigInt(value, size).reverse(), at)
}

const readLimbs = (memory: Uint8Array, at: number, size: number): bigint =>
  toBigInt(memory.slice(at, at + size).reverse())
