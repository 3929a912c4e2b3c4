import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type { Precompile } from '../types.ts'
import { modularPower } from './modularPower.ts'

/** MODEXP (EIP-198), priced by EIP-2565 from Berlin and EIP-7883 from Osaka, bounded by EIP-7823 from Osaka. */

const osakaMaxLength = 1024n

/** Reads a word or part of one at an offset of any size; bytes after the end are zeros. */
const readWord = (input: Uint8Array, at: bigint): bigint => {
  if (at >= BigInt(input.length)) return 0n
  const start = Number(at)
  const bytes = input.subarray(start, start + 32)
  return toBigInt(bytes) << BigInt((32 - bytes.length) * 8)
}

const bitLength = (value: bigint): number => (value === 0n ? 0 : value.toString(2).length)

interface Lengths {
  readonly base: bigint
  readonly exponent: bigint
  readonly modulus: bigint
}

const readLengths = (input: Uint8Array): Lengths => ({
  base: readWord(input, 0n),
  exponent: readWord(input, 32n),
  modulus: readWord(input, 64n),
})

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const iterationCount = (input: Uint8Array, { base, exponent }: Lengths, perByte: bigint): bigint => {
  const first = readWord(input, 96n + base)
  const head = exponent < 32n ? first >> (8n * (32n - exponent)) : first
  const tail = exponent > 32n ? perByte * (exponent - 32n) : 0n
  return max(tail + BigInt(Math.max(bitLength(head) - 1, 0)), 1n)
}

const eip198Complexity = (length: bigint): bigint => {
  if (length <= 64n) return length * length
  if (length <= 1024n) return (length * length) / 4n + 96n * length - 3_072n
  return (length * length) / 16n + 480n * length - 199_680n
}

const gas = (input: Uint8Array, fork: Fork): bigint => {
  const lengths = readLengths(input)
  const longest = max(lengths.base, lengths.modulus)
  const words = (longest + 7n) / 8n
  if (since(fork, 'osaka')) {
    const complexity = longest <= 32n ? 16n : 2n * words * words
    return max(500n, complexity * iterationCount(input, lengths, 16n))
  }
  const count = iterationCount(input, lengths, 8n)
  if (since(fork, 'berlin')) return max(200n, (words * words * count) / 3n)
  return (eip198Complexity(longest) * count) / 20n
}

const readBytes = (input: Uint8Array, at: number, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  bytes.set(input.subarray(at, at + length))
  return bytes
}

const compute = (input: Uint8Array, interrupt: (() => boolean) | undefined): Uint8Array | undefined => {
  const lengths = readLengths(input)
  // An empty result needs no exponent, whose length then is not bounded by the gas.
  if (lengths.modulus === 0n) return new Uint8Array(0)
  const base = Number(lengths.base)
  const exponent = Number(lengths.exponent)
  const modulus = Number(lengths.modulus)
  const result = modularPower(
    toBigInt(input.subarray(96, 96 + base)) << BigInt(8 * missing(input, 96, base)),
    readBytes(input, 96 + base, exponent),
    toBigInt(readBytes(input, 96 + base + exponent, modulus)),
    interrupt,
  )
  return result === undefined ? undefined : fromBigInt(result, modulus)
}

/** Returns how many of `length` bytes at an offset are after the input's end. */
const missing = (input: Uint8Array, at: number, length: number): number =>
  Math.max(0, Math.min(length, at + length - input.length))

export const modexp: Precompile = { gas, run: compute }

export const boundedModexp: Precompile = {
  gas,
  run: (input, interrupt) => {
    const { base, exponent, modulus } = readLengths(input)
    const longest = max(max(base, exponent), modulus)
    return longest > osakaMaxLength ? undefined : compute(input, interrupt)
  },
}
