import type { StepEvent } from '../../types.ts'

/** What Parity's `vmTrace` says about an instruction, read from its number and from the stack before it. */

const op = {
  keccak: 0x20,
  calldatacopy: 0x37,
  codecopy: 0x39,
  extcodecopy: 0x3c,
  returndatacopy: 0x3e,
  mload: 0x51,
  mstore: 0x52,
  mstore8: 0x53,
  sload: 0x54,
  sstore: 0x55,
  jump: 0x56,
  jumpi: 0x57,
  jumpdest: 0x5b,
  tstore: 0x5d,
  mcopy: 0x5e,
  create: 0xf0,
  call: 0xf1,
  callcode: 0xf2,
  delegatecall: 0xf4,
  create2: 0xf5,
  staticcall: 0xfa,
} as const

const isBetween = (code: number, first: number, last: number): boolean => code >= first && code <= last

/** The instructions that leave nothing on the stack, beside those that end a frame. */
const silent = new Set<number>([
  ...[op.calldatacopy, op.codecopy, op.extcodecopy, op.returndatacopy],
  ...[0x50, op.mstore, op.mstore8, op.sstore, op.jump, op.jumpi, op.jumpdest, op.tstore, op.mcopy],
])

/**
 * Returns how many words an instruction leaves on the stack as Parity counts them: what it copies or exchanges counts with
 * everything above it.
 */
export const pushedWords = (code: number): number => {
  if (isBetween(code, 0x80, 0x8f)) return code - 0x80 + 2
  if (isBetween(code, 0x90, 0x9f)) return code - 0x90 + 2
  if (isBetween(code, 0xa0, 0xa4) || silent.has(code)) return 0
  if (isBetween(code, 0x01, 0x7f)) return 1
  return isCall(code) || code === op.create || code === op.create2 ? 1 : 0
}

export const isCall = (code: number): boolean =>
  code === op.call || code === op.callcode || code === op.delegatecall || code === op.staticcall

export interface MemoryRange {
  readonly offset: number
  readonly length: number
}

/** The positions on the stack of the offset and of the length of the memory that an instruction writes. */
const rangePositions: Readonly<Record<number, readonly [offset: number, length: number]>> = {
  [op.calldatacopy]: [0, 2],
  [op.codecopy]: [0, 2],
  [op.extcodecopy]: [1, 3],
  [op.returndatacopy]: [0, 2],
  [op.mcopy]: [0, 2],
  [op.call]: [5, 6],
  [op.callcode]: [5, 6],
  [op.delegatecall]: [4, 5],
  [op.staticcall]: [4, 5],
}

const toRange = (offset: bigint, length: bigint): MemoryRange | undefined =>
  length === 0n || offset + length > BigInt(Number.MAX_SAFE_INTEGER)
    ? undefined
    : { offset: Number(offset), length: Number(length) }

/** Returns the memory that the instruction writes, or reads as a word; undefined if there is none. */
export const memoryRange = ({ op: code, stackSize, stack }: StepEvent): MemoryRange | undefined => {
  if (code === op.mload || code === op.mstore) return stackSize < 1 ? undefined : toRange(stack(0), 32n)
  if (code === op.mstore8) return stackSize < 1 ? undefined : toRange(stack(0), 1n)
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
  code === op.sstore && stackSize >= 2 ? [stack(0), stack(1)] : undefined
