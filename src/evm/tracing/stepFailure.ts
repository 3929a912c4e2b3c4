import { type Fork, since } from '../../chain/config/forks.ts'
import type { EvmInstance } from '../host/instance.ts'
import type { StepEvent } from '../types.ts'
import { opcodeName } from './opcodeNames.ts'
import { callOpcodes, opcode } from './opcodes.ts'

/**
 * Why an instruction fails, in geth's words, and the cost that geth reports for it; both follow the order of
 * geth's checks.
 */

const limb = 2n ** 64n
const overflow = 'gas uint64 overflow'
/** The largest memory for which geth's square of the words does not overflow. */
const maxMemory = 0x1fffffffe0n

/**
 * A range of memory: the stack index of its offset, and the stack index of its length or the length itself.
 */
type MemoryRange = readonly [offset: number, length: number | bigint]

const single: Readonly<Record<number, MemoryRange>> = {
  [opcode.keccak]: [0, 1],
  [opcode.calldatacopy]: [0, 2],
  [opcode.codecopy]: [0, 2],
  [opcode.extcodecopy]: [1, 3],
  [opcode.returndatacopy]: [0, 2],
  [opcode.mload]: [0, 32n],
  [opcode.mstore]: [0, 32n],
  [opcode.mstore8]: [0, 1n],
  [opcode.create]: [1, 2],
  [opcode.create2]: [1, 2],
  [opcode.return]: [0, 1],
  [opcode.revert]: [0, 1],
}

const memoryRanges = (op: number): readonly MemoryRange[] => {
  if (op === opcode.call || op === opcode.callcode)
    return [
      [5, 6],
      [3, 4],
    ]
  if (op === opcode.delegatecall || op === opcode.staticcall)
    return [
      [4, 5],
      [2, 3],
    ]
  if (op === opcode.mcopy)
    return [
      [0, 2],
      [1, 2],
    ]
  if (op >= opcode.log0 && op <= opcode.log4) return [[0, 1]]
  const known = single[op]
  return known === undefined ? [] : [known]
}

/** Returns the end of the memory that the instruction needs; undefined if the sum overflows. */
const memoryEnd = ({ op, stack }: FailedStep): bigint | undefined => {
  let end = 0n
  for (const [offset, length] of memoryRanges(op)) {
    const size = typeof length === 'bigint' ? length : stack(length)
    if (size === 0n) continue
    const last = stack(offset) + size
    if (size >= limb || last >= limb - 31n) return undefined
    if (last > end) end = last
  }
  return end
}

const isWrite = ({ op, stack }: FailedStep): boolean =>
  op === opcode.sstore ||
  op === opcode.create ||
  op === opcode.create2 ||
  op === opcode.selfdestruct ||
  (op === opcode.call && stack(2) !== 0n)

const expansion = (size: number, end: bigint): bigint => {
  const price = (words: bigint): bigint => words * 3n + (words * words) / 512n
  const had = BigInt(size) / 32n
  const wanted = (end + 31n) / 32n
  return wanted > had ? price(wanted) - price(had) : 0n
}

/** The instruction, and the record of the account whose storage it uses. */
type FailedStep = StepEvent & { readonly self: number }

interface Failure {
  readonly message: string
  readonly cost: bigint
}

/** The circumstances of a failed instruction. */
export interface FailureContext {
  readonly instance: EvmInstance
  readonly fork: Fork
  readonly isStatic: boolean
  /** Whether its step was reported already, so that its cost is known and paid. */
  readonly hasRun: boolean
}

/**
 * Checks for instructions whose cost geth computes as a whole while the EVM charges a part of it beforehand.
 */
const isWhole = (op: number, fork: Fork): boolean =>
  op === opcode.exp ||
  (op >= opcode.log0 && op <= opcode.log4) ||
  (op === opcode.sload && since(fork, 'berlin'))

const wholeCost = (
  step: FailedStep,
  { instance, fork }: FailureContext,
  fixed: bigint,
  end: bigint,
): bigint => {
  const { op, stack } = step
  if (op === opcode.exp) {
    const digits = stack(1) === 0n ? 0 : stack(1).toString(16).length
    return fixed + BigInt(Math.ceil(digits / 2)) * (since(fork, 'spuriousDragon') ? 50n : 10n)
  }
  if (op !== opcode.sload) return fixed + stack(1) * 8n + expansion(step.memorySize, end)
  // The frame ends here, which reverts this with everything else.
  const isCold = instance.run.warmSlot(instance.slotOf(step.self, stack(0))) !== 0
  return isCold ? 2100n : 100n
}

/**
 * Checks whether a call fails while its cost is computed, because it pays for the accounts that it reads;
 * since Prague for all of it.
 */
const failsDuringCallGas = (step: FailedStep, fork: Fork, fixed: bigint, end: bigint): boolean => {
  if (since(fork, 'prague')) return true
  const left = step.gas - fixed
  const transfer = step.op === opcode.call && step.stack(2) !== 0n ? 9000n : 0n
  if (since(fork, 'berlin') && left < 2500n && step.cost - fixed >= 2500n) return true
  return step.op === opcode.call && left < transfer + expansion(step.memorySize, end)
}

const describeUnstarted = (step: FailedStep, context: FailureContext, fixed: bigint): Failure => {
  const { op, gas, error, cost } = step
  const { fork, isStatic } = context
  const constant = isWhole(op, fork) ? 0n : fixed
  if (gas < constant) return { message: 'out of gas', cost: constant }
  const end = memoryEnd(step)
  if (end === undefined) return { message: overflow, cost: constant }
  const inside = (why: string): Failure => ({ message: `out of gas: ${why}`, cost: constant })
  if (isStatic && isWrite(step)) return inside('write protection')
  if (end > maxMemory) return inside(overflow)
  if (error === 'max initcode size exceeded')
    return inside(`${error}: code size ${step.stack(2)} limit ${2 * context.instance.run.maxCode.value}`)
  if (op === opcode.sstore && since(fork, 'istanbul') && gas <= 2300n)
    return inside('not enough gas for reentrancy sentry')
  if (callOpcodes.has(op) && failsDuringCallGas(step, fork, fixed, end)) return inside('out of gas')
  const isColdHeir = op === opcode.selfdestruct && since(fork, 'berlin') && cost - fixed >= 2600n
  if (isColdHeir && gas - fixed < 2600n) return inside('out of gas')
  return { message: 'out of gas', cost: gas < fixed ? wholeCost(step, context, fixed, end) : cost }
}

export const describeFailure = (step: FailedStep, context: FailureContext): Failure => {
  const { error, op, cost, stackSize } = step
  const { view, at } = context.instance
  const row = at.STATIC_GAS + op * 4
  const fixed = BigInt(view.getUint16(row, true))
  const takes = view.getUint8(row + 2)
  const gives = view.getUint8(row + 3)
  switch (error) {
    case 'stack underflow':
      return { message: `${error} (${stackSize} <=> ${takes})`, cost: isWhole(op, context.fork) ? 0n : cost }
    case 'stack overflow':
      return { message: `stack limit reached ${stackSize} (${1024 + takes - gives})`, cost }
    case 'invalid opcode':
      return { message: `${error}: ${opcodeName(op)}`, cost: 0n }
    case 'out of gas':
    case 'write protection':
    case 'max initcode size exceeded':
      return context.hasRun ? { message: error, cost } : describeUnstarted(step, context, fixed)
    default:
      return { message: error ?? '', cost }
  }
}
