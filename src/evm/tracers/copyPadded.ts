import { maxUint64 } from '../../base/encoding/bytes.ts'
import type { StepEvent } from '../types.ts'

/** The most bytes that geth reads beyond the end of memory. */
const maxPadding = 1024 * 1024
const limit = 2n ** 63n

/** Copies a range of memory, with zeros beyond its end; undefined if too many zeros would be needed. */
export const copyPadded = (
  { memory, memorySize }: StepEvent,
  offset: bigint,
  length: bigint,
): Uint8Array | undefined => {
  const from = offset & maxUint64
  const size = length & maxUint64
  if (from >= limit || size >= limit || from + size - BigInt(memorySize) > maxPadding) return undefined
  const copy = new Uint8Array(Number(size))
  copy.set(memory(Number(from), Number(size)))
  return copy
}
