import { beforeAll, describe, expect, it } from 'vitest'
import {
  begin,
  createTestMachine,
  push,
  returnTop,
  run,
  worldWithCode,
} from '../../test/support/evm/support.ts'
import { toBigInt } from '../base/encoding/bytes.ts'
import type { Evm } from './evm.ts'

const mask = 2n ** 256n - 1n
const signed = (value: bigint): bigint => BigInt.asIntN(256, value)
const bool = (value: boolean): bigint => (value ? 1n : 0n)
const shift = (n: bigint, by: (n: bigint) => bigint, over: bigint): bigint => (n > 255n ? over : by(n))

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) & mask
    square = (square * square) & mask
  }
  return result
}

/** What each instruction says of its operands, the top of the stack first. */
const binary: Readonly<Record<string, readonly [op: string, (a: bigint, b: bigint) => bigint]>> = {
  ADD: ['01', (a, b) => a + b],
  MUL: ['02', (a, b) => a * b],
  SUB: ['03', (a, b) => a - b],
  DIV: ['04', (a, b) => (b === 0n ? 0n : a / b)],
  SDIV: ['05', (a, b) => (b === 0n ? 0n : signed(a) / signed(b))],
  MOD: ['06', (a, b) => (b === 0n ? 0n : a % b)],
  SMOD: ['07', (a, b) => (b === 0n ? 0n : signed(a) % signed(b))],
  EXP: ['0a', power],
  SIGNEXTEND: ['0b', (a, b) => (a > 30n ? b : BigInt.asIntN(Number(a) * 8 + 8, b))],
  LT: ['10', (a, b) => bool(a < b)],
  GT: ['11', (a, b) => bool(a > b)],
  SLT: ['12', (a, b) => bool(signed(a) < signed(b))],
  SGT: ['13', (a, b) => bool(signed(a) > signed(b))],
  EQ: ['14', (a, b) => bool(a === b)],
  AND: ['16', (a, b) => a & b],
  OR: ['17', (a, b) => a | b],
  XOR: ['18', (a, b) => a ^ b],
  BYTE: ['1a', (a, b) => (a > 31n ? 0n : (b >> (248n - a * 8n)) & 0xffn)],
  SHL: ['1b', (a, b) => shift(a, (n) => b << n, 0n)],
  SHR: ['1c', (a, b) => shift(a, (n) => b >> n, 0n)],
  SAR: ['1d', (a, b) => shift(a, (n) => signed(b) >> n, signed(b) < 0n ? -1n : 0n)],
}

const unary: Readonly<Record<string, readonly [op: string, (a: bigint) => bigint]>> = {
  ISZERO: ['15', (a) => bool(a === 0n)],
  NOT: ['19', (a) => ~a],
  CLZ: ['1e', (a) => BigInt(256 - (a === 0n ? 0 : a.toString(2).length))],
}

const ternary: Readonly<Record<string, readonly [op: string, (a: bigint, b: bigint, m: bigint) => bigint]>> =
  {
    ADDMOD: ['08', (a, b, m) => (m === 0n ? 0n : (a + b) % m)],
    MULMOD: ['09', (a, b, m) => (m === 0n ? 0n : (a * b) % m)],
  }

const values = [
  0n,
  1n,
  2n,
  3n,
  31n,
  32n,
  63n,
  64n,
  255n,
  256n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 64n - 1n,
  2n ** 64n,
  2n ** 127n + 12_345n,
  2n ** 128n - 1n,
  2n ** 192n + 2n ** 64n,
  2n ** 255n,
  2n ** 255n - 1n,
  mask - 1n,
  mask,
  0xd1342543de82ef95a0b428c7e9f7c2a51e35a7bd8f1bbcdc9e3779b97f4a7c15n,
]

let evm: Evm

beforeAll(async () => {
  evm = await createTestMachine()
})

/** Both builds, with operands as constants (which may fuse) and computed (which may not). */
const evaluate = (op: string, operands: readonly bigint[]): Set<bigint> => {
  const shortest = (value: bigint): string => {
    const digits = value.toString(16)
    const even = digits.length % 2 === 0 ? digits : `0${digits}`
    return `${(0x5f + even.length / 2).toString(16)}${even}`
  }
  const results = new Set<bigint>()
  for (const spell of [shortest, (value: bigint) => `${push(value)} 8050`]) {
    const program = `${operands.toReversed().map(spell).join(' ')} ${op} ${returnTop}`
    for (const tracer of [undefined, {}]) {
      const execution = begin(evm, worldWithCode(program), 'osaka', tracer === undefined ? {} : { tracer })
      results.add(toBigInt(run(execution).output))
    }
  }
  return results
}

describe('arithmetic on 256 bits', () => {
  it.each(Object.entries(unary))('%s', (_name, [op, expected]) => {
    for (const a of values) expect([a, evaluate(op, [a])]).toEqual([a, new Set([expected(a) & mask])])
  })

  it.each(Object.entries(binary))('%s', (_name, [op, expected]) => {
    for (const a of values) {
      for (const b of values) {
        expect([a, b, evaluate(op, [a, b])]).toEqual([a, b, new Set([expected(a, b) & mask])])
      }
    }
  })

  it.each(Object.entries(ternary))('%s', (_name, [op, expected]) => {
    const some = values.filter((_, i) => i % 3 === 0)
    for (const a of some) {
      for (const b of some) {
        for (const m of values) {
          expect([a, b, m, evaluate(op, [a, b, m])]).toEqual([a, b, m, new Set([expected(a, b, m) & mask])])
        }
      }
    }
  })
})
