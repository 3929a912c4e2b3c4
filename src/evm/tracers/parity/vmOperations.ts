import { callOpcodes, opcode } from '../../tracing/opcodes.ts'
import type { StepEvent } from '../../types.ts'

/** What Parity's `vmTrace` says about an instruction, read from its number and from the stack before it. */

const isBetween = (code: number, first: number, last: number): boolean => code >= first && code <= last

/** The instructions that leave nothing on the stack, beside those that end a frame. */
const silent = new Set<number>([
  ...[opcode.calldatacopy, opcode.codecopy, opcode.extcodecopy, opcode.returndatacopy],
  ...[opcode.pop, opcode.mstore, opcode.mstore8, opcode.sstore, opcode.tstore, opcode.mcopy],
  ...[opcode.jump, opcode.jumpi, opcode.jumpdest],
])

/**
 * Returns how many words an instruction leaves on the stack as Parity counts them: what it copies or exchanges counts with
 * everything above it.
 */
export const pushedWords = (code: number): number => {
  if (isBetween(code, 0x80, 0x8f)) return code - 0x80 + 2
  if (isBetween(code, 0x90, 0x9f)) return code - 0x90 + 2
  if (isBetween(code, opcode.log0, opcode.log4) || silent.has(code)) return 0
  if (isBetween(code, 0x01, 0x7f)) return 1
  return callOpcodes.has(code) || code === opcode.create || code === opcode.create2 ? 1 : 0
}

export interface MemoryRange {
  readonly offset: number
  readonly length: number
}

/** The positions on the stack of the offset and of the length of the memory that an instruction writes. */
const rangePositions: Readonly<Record<number, readonly [offset: number, length: number]>> = {
  [opcode.calldatacopy]: [0, 2],
  [opcode.codecopy]: [0, 2],
  [opcode.extcodecopy]: [1, 3],
  [opcode.returndatacopy]: [0, 2],
  [opcode.mcopy]: [0, 2],
  [opcode.call]: [5, 6],
  [opcode.callcode]: [5, 6],
  [opcode.delegatecall]: [4, 5],
  [opcode.staticcall]: [4, 5],
}

const toRange = (offset: bigint, length: bigint): MemoryRange | undefined =>
  length === 0n || offset + length > BigInt(Number.MAX_SAFE_INTEGER)
    ? undefined
    : { offset: Number(offset), length: Number(length) }

/** Returns the memory that the instruction writes, or reads as a word; undefined if there is none. */
export const memoryRange = ({ op: code, stackSize, stack }: StepEvent): MemoryRange | undefined => {
  if (code === opcode.mload || code === opcode.mstore)
    return stackSize < 1 ? undefined : toRange(stack(0), 32n)
  if (code === opcode.mstore8) return stackSize < 1 ? undefined : toRange(stack(0), 1n)
  const positions = rangePositions[code]
  if (positions === undefined || stackSize <= positions[1]) return undefined
  return toRange(stack(positions[0]), stack(positions[1]))
}

/** Returns the slot and the value that the instruction stores. */
export const storedSlot = ({
  op: code,
  stackSize,
  stack,
}: StepEvent): readonly [key: bigint, value: bigint] | undefined =>
  code === opcode.sstore && stackSize >= 2 ? [stack(0), stack(1)] : undefined
