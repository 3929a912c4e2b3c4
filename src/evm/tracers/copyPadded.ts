import type { StepEvent } from '../types.ts'

/** As far beyond its end as geth reads memory that is not there yet. */
const maxPadding = 1024 * 1024
const limit = 2n ** 63n
const mask = 2n ** 64n - 1n

/** A stretch of memory, zeros beyond its end; undefined where too many would be needed. */
export const copyPadded = (
  { memory, memorySize }: StepEvent,
  offset: bigint,
  length: bigint,
): Uint8Array | undefined => {
  const from = offset & mask
  const size = length & mask
  if (from >= limit || size >= limit || from + size - BigInt(memorySize) > maxPadding) return undefined
  const copy = new Uint8Array(Number(size))
  copy.set(memory(Number(from), Number(size)))
  return copy
}
