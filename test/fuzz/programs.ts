import { toBigInt } from '../../src/base/encoding/bytes.ts'
import type { Fork } from '../../src/chain/config/forks.ts'
import { Assembler } from '../support/evm/assembler.ts'
import { precompileAddresses, precompileInput } from '../support/evm/precompileInputs.ts'
import type { Random } from '../support/random.ts'
import { replacementsAt } from './olderForks.ts'

/** Random programs that mostly run: operands are there, memory stays small, jumps land, results leave a trace. */

export interface Surroundings {
  readonly random: Random
  readonly fork: Fork
  /** Accounts that the state knows, and one or two that it does not. */
  readonly addresses: readonly Uint8Array[]
}

type Emit = (assembler: Assembler, surroundings: Surroundings, depth: number) => void

const binary = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a,
  0x1b, 0x1c, 0x1d,
]
const byPosition = new Set([0x0b, 0x1a, 0x1b, 0x1c, 0x1d])
const unary = [0x15, 0x19, 0x1e]
const ternary = [0x08, 0x09]
const constants = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x58,
  0x59, 0x5a,
]
const byAddress = [0x31, 0x3b, 0x3f]

/** Where arithmetic changes its mind: signs, widths of shifts, numbers of bytes. */
const edges = [
  0n,
  1n,
  2n,
  30n,
  31n,
  32n,
  255n,
  256n,
  2n ** 255n - 1n,
  2n ** 255n,
  2n ** 256n - 2n,
  2n ** 256n - 1n,
]

const word = (random: Random): bigint => (random.chance(0.3) ? random.pick(edges) : random.integer(256))
const slot = (random: Random): bigint => BigInt(random.below(6))
/** Small; now and then where memory's price is no longer linear, or beyond all gas. */
const offset = (random: Random): bigint => {
  if (random.chance(0.02)) return BigInt(random.below(30_000))
  return random.chance(0.004) ? random.integer(256) : BigInt(random.below(200))
}
const size = (random: Random): bigint => BigInt(random.pick([0, 1, 31, 32, 33, 64, random.below(150)]))
const addressOf = ({ random, addresses }: Surroundings): bigint => toBigInt(random.pick(addresses))

/** What became of a value: storage, transient storage, memory, or nothing. */
const consume = (assembler: Assembler, random: Random): void => {
  switch (random.below(6)) {
    case 0:
      assembler.push(slot(random)).op(0x55)
      break
    case 1:
      assembler.push(slot(random)).op(0x5d)
      break
    case 2:
      assembler.push(offset(random)).op(0x53)
      break
    case 3:
      assembler.op(0x50)
      break
    default:
      assembler.push(offset(random)).op(0x52)
  }
}

const operation = (assembler: Assembler, random: Random): void => {
  const [ops, arity] = random.pick([
    [binary, 2],
    [binary, 2],
    [binary, 2],
    [unary, 1],
    [ternary, 3],
  ] as const)
  const op = random.pick(ops)
  for (let operand = 0; operand < arity; operand++) assembler.push(word(random))
  // The upper operand of shifts and of byte positions is a small number, or it hardly matters.
  if (byPosition.has(op) && random.chance(0.8)) {
    const position =
      op < 0x1b ? [0, 1, 15, 30, 31, 31, 32, random.below(34)] : [0, 1, 8, 64, 255, 256, random.below(260)]
    assembler.op(0x50).push(BigInt(random.pick(position)))
  }
  assembler.op(op)
}

/** Some operations whose results are mixed into one word, which then leaves a trace. */
const arithmetic: Emit = (assembler, { random }) => {
  operation(assembler, random)
  for (let more = random.below(8); more > 0; more--) {
    operation(assembler, random)
    assembler.op(random.pick([0x01, 0x03, 0x18]))
  }
  consume(assembler, random)
}

const surroundingsValue: Emit = (assembler, { random }) => {
  const op = random.pick(constants)
  assembler.op(op)
  // Gas left in storage would make every difference of gas a difference of state: that is wanted.
  consume(assembler, random)
}

const accountValue: Emit = (assembler, surroundings) => {
  assembler.push(addressOf(surroundings)).op(surroundings.random.pick(byAddress))
  consume(assembler, surroundings.random)
}

const indexedValue: Emit = (assembler, { random }) => {
  const op = random.pick([0x35, 0x40, 0x49, 0x5c, 0x54, 0x51])
  const argument = {
    64: BigInt(random.below(1200)),
    73: BigInt(random.below(4)),
    92: slot(random),
    84: slot(random),
  }[op]
  assembler.push(argument ?? offset(random)).op(op)
  consume(assembler, random)
}

const store: Emit = (assembler, { random }) => {
  const value = random.chance(0.7) ? BigInt(random.below(3)) : word(random)
  assembler
    .push(value)
    .push(slot(random))
    .op(random.pick([0x55, 0x55, 0x55, 0x5d]))
}

const copy: Emit = (assembler, surroundings) => {
  const { random } = surroundings
  const op = random.pick([0x37, 0x39, 0x3c, 0x3e, 0x5e])
  const length = op === 0x3e ? BigInt(random.below(3)) : size(random)
  assembler
    .push(length)
    .push(op === 0x3e ? 0n : offset(random))
    .push(offset(random))
  if (op === 0x3c) assembler.push(addressOf(surroundings))
  assembler.op(op)
}

const hash: Emit = (assembler, { random }) => {
  assembler.push(size(random)).push(offset(random)).op(0x20)
  consume(assembler, random)
}

const log: Emit = (assembler, { random }) => {
  const topics = random.below(5)
  for (let topic = 0; topic < topics; topic++) assembler.push(word(random))
  assembler
    .push(size(random))
    .push(offset(random))
    .op(0xa0 + topics)
}

const shuffle: Emit = (assembler, { random }) => {
  const reach = 1 + random.below(16)
  for (let index = 0; index <= reach; index++) assembler.push(BigInt(index + 1))
  if (random.chance(0.5)) assembler.op(0x7f + reach)
  else assembler.op(0x8f + reach).op(0x5f)
  consume(assembler, random)
  consume(assembler, random)
  for (let index = 0; index < reach; index++) assembler.op(0x50)
}

const branch: Emit = (assembler, surroundings, depth) => {
  const { random } = surroundings
  const end = assembler.newLabel()
  if (random.chance(0.2)) assembler.pushLabel(end).op(0x56)
  else
    assembler
      .push(random.pick([0n, 1n, word(random)]))
      .pushLabel(end)
      .op(0x57)
  statements(assembler, surroundings, depth + 1, 3)
  assembler.place(end).op(0x5b)
}

const loop: Emit = (assembler, surroundings, depth) => {
  const { random } = surroundings
  const start = assembler.newLabel()
  assembler
    .push(BigInt(1 + random.below(4)))
    .place(start)
    .op(0x5b)
  statements(assembler, surroundings, depth + 1, 2)
  // counter - 1, and again while it is not zero
  assembler.push(1n).op(0x90, 0x03, 0x80).pushLabel(start).op(0x57, 0x50)
}

/** Copies data from behind the code into memory at `to`. */
const load = (assembler: Assembler, bytes: Uint8Array, to: bigint): void => {
  const label = assembler.data(bytes)
  assembler.push(BigInt(bytes.length)).pushLabel(label).push(to).op(0x39)
}

const gasForCall = (assembler: Assembler, random: Random): void => {
  if (random.chance(0.7)) assembler.op(0x5a)
  else assembler.push(BigInt(random.pick([0, 2300, 5000, 30_000, random.below(100_000)])))
}

const afterCall = (assembler: Assembler, random: Random): void => {
  consume(assembler, random)
  if (random.chance(0.3)) assembler.op(0x3d, 0x5f, 0x5f, 0x3e)
  // What the call left, or should not have left.
  if (random.chance(0.4)) {
    assembler.push(slot(random)).op(random.pick([0x54, 0x5c, 0x5c]))
    consume(assembler, random)
  }
}

const call: Emit = (assembler, surroundings) => {
  const { random } = surroundings
  const op = random.pick([0xf1, 0xf1, 0xf2, 0xf4, 0xfa])
  assembler.push(size(random)).push(offset(random)).push(size(random)).push(offset(random))
  if (op === 0xf1 || op === 0xf2) assembler.push(random.pick([0n, 0n, 0n, 1n, 1000n, word(random)]))
  assembler.push(addressOf(surroundings))
  gasForCall(assembler, random)
  assembler.op(op)
  afterCall(assembler, random)
}

/** Pairings and their kin cost the reference implementation tens of milliseconds: rarely. */
const slowPrecompiles = new Set([0x08, 0x0a, 0x0c, 0x0e, 0x0f, 0x10, 0x11])

const callPrecompile: Emit = (assembler, { random }) => {
  let address = random.pick(precompileAddresses)
  if (slowPrecompiles.has(address) && random.chance(0.75))
    address = random.pick([1, 2, 3, 4, 5, 6, 7, 9, 0x0b, 0x100])
  const input = precompileInput(address, random)
  load(assembler, input, 0n)
  const op = random.pick([0xf1, 0xf2, 0xf4, 0xfa])
  assembler
    .push(BigInt(random.pick([32, 64, 128])))
    .push(offset(random))
    .push(BigInt(input.length))
    .push(0n)
  if (op === 0xf1 || op === 0xf2) assembler.push(random.pick([0n, 0n, 1n]))
  assembler.push(BigInt(address))
  gasForCall(assembler, random)
  assembler.op(op)
  afterCall(assembler, random)
}

const create: Emit = (assembler, surroundings, depth) => {
  const { random } = surroundings
  const init = initCode(surroundings, depth + 1)
  load(assembler, init, 0n)
  const isCreate2 = random.chance(0.5)
  if (isCreate2) assembler.push(BigInt(random.below(3)))
  assembler
    .push(BigInt(init.length))
    .push(0n)
    .push(random.pick([0n, 0n, 1n]))
    .op(isCreate2 ? 0xf5 : 0xf0)
  if (random.chance(0.5)) {
    // Call what was created.
    assembler.op(0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x85, 0x5a, 0xf1, 0x50)
  }
  consume(assembler, random)
}

/** Bytes that no rule made: undefined opcodes, a push beyond the end, a stack that is not there. */
const junk: Emit = (assembler, { random }) => {
  assembler.op(...random.bytes(1 + random.below(3)))
}

const weighted: readonly (readonly [weight: number, emit: Emit])[] = [
  [14, arithmetic],
  [8, surroundingsValue],
  [4, accountValue],
  [7, indexedValue],
  [9, store],
  [5, copy],
  [3, hash],
  [3, log],
  [3, shuffle],
  [3, branch],
  [2, loop],
  [7, call],
  [4, callPrecompile],
  [2.5, create],
  [0.4, junk],
]
const totalWeight = weighted.reduce((sum, [weight]) => sum + weight, 0)

const pickEmit = (random: Random): Emit => {
  let at = (random.below(1_000_000) / 1_000_000) * totalWeight
  for (const [weight, emit] of weighted) {
    at -= weight
    if (at < 0) return emit
  }
  return arithmetic
}

const maxDepth = 2

const statements = (assembler: Assembler, surroundings: Surroundings, depth: number, most: number): void => {
  const count = 1 + surroundings.random.below(most)
  for (let index = 0; index < count; index++) {
    const emit = pickEmit(surroundings.random)
    const nests = emit === branch || emit === loop || emit === create
    ;(nests && depth >= maxDepth ? arithmetic : emit)(assembler, surroundings, depth)
  }
}

const finish = (assembler: Assembler, surroundings: Surroundings): void => {
  const { random } = surroundings
  switch (random.below(12)) {
    case 0:
      assembler.op(0x00)
      break
    case 1:
      assembler.push(size(random)).push(offset(random)).op(0xfd)
      break
    case 2:
      assembler.push(addressOf(surroundings)).op(0xff)
      break
    case 3:
      assembler.op(random.pick([0xfe, 0x0c, 0x4b, 0xef]))
      break
    default:
      assembler.push(size(random)).push(offset(random)).op(0xf3)
  }
}

/** Code for a contract. */
export const runtimeCode = (surroundings: Surroundings, depth = 0): Uint8Array => {
  const assembler = new Assembler(replacementsAt(surroundings.fork))
  statements(assembler, surroundings, depth, depth === 0 ? 12 : 4)
  finish(assembler, surroundings)
  return assembler.assemble()
}

/** Code that deploys a contract, most of the time. */
export const initCode = (surroundings: Surroundings, depth = 0): Uint8Array => {
  const { random } = surroundings
  const assembler = new Assembler(replacementsAt(surroundings.fork))
  if (random.chance(0.5)) statements(assembler, surroundings, depth, 3)
  if (random.chance(0.1)) {
    finish(assembler, surroundings)
    return assembler.assemble()
  }
  const code = random.chance(0.08) ? Uint8Array.of(0xef, 0x00) : runtimeCode(surroundings, depth + 1)
  load(assembler, code, 0n)
  assembler.push(BigInt(code.length)).push(0n).op(0xf3)
  return assembler.assemble()
}
