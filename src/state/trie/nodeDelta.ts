import { readHeight } from '../rows/rows.ts'
import { writeChanges } from './nodeBytes.ts'
import { nodeRowAt, windowStart, windows } from './nodeVersion.ts'

/**
 * What a trie node was before, as the difference to what replaced it: of the sixteen references of a branch a block mostly
 * changes one.
 *
 *   the version and skips of before · flags and masks of its row · (copied · left out · length · bytes)…
 *
 * Copied and left out count bytes of the later row, the bytes are in place of what is left out, and what remains of the
 * later row follows. Numbers have 7 bits in each byte, the lowest first, and the highest bit in all but the last.
 */

/** The flags and masks with which the row of a branch begins. */
const maskBytes = 5
const start = nodeRowAt + maskBytes
const leafFlag = 1

/**
 * Returns whether a version is kept as a difference. A skip leads to the first version of a window and past those after it,
 * so that these are kept whole: always those of the large window, and those of the small one if the node changes often. Where
 * a skip leads to a difference nevertheless, the versions of that small window are gone through one by one.
 */
export const isKeptAsDelta = (before: Uint8Array, height: number): boolean => {
  const version = readHeight(before, 0)
  if (version <= windowStart(height, 1)) return false
  return version > windowStart(height, 0) || height - version > windows[0]
}

/** Writes the difference and returns its end; -1 if it would not be shorter than what was before. */
export const writeDelta = (target: Uint8Array, at: number, before: Uint8Array, after: Uint8Array): number => {
  if (before.length <= start || after.length <= start) return -1
  if (((before[nodeRowAt] as number) | (after[nodeRowAt] as number)) & leafFlag) return -1
  const limit = at + before.length
  for (let i = 0; i < start; i++) target[at + i] = before[i] as number
  const body = at + start
  const end =
    before.length === after.length
      ? writeChanges(target, body, limit, before, after, start)
      : writeMiddle(target, body, limit, before, after)
  return end < limit ? end : -1
}

/**
 * Writes what is between the bytes that both rows begin with and those that both end with, from `from` on, and returns its end,
 * which is `limit` if it does not fit.
 */
const writeMiddle = (
  target: Uint8Array,
  from: number,
  limit: number,
  before: Uint8Array,
  after: Uint8Array,
): number => {
  const shortest = Math.min(before.length, after.length)
  let first = start
  while (first < shortest && before[first] === after[first]) first++
  let same = 0
  while (same < shortest - first && before[before.length - 1 - same] === after[after.length - 1 - same])
    same++
  const end = before.length - same
  if (from + 6 + end - first >= limit) return limit
  let to = writeNumber(target, from, first - start)
  to = writeNumber(target, to, after.length - same - first)
  to = writeNumber(target, to, end - first)
  for (let i = first; i < end; i++) target[to++] = before[i] as number
  return to
}

/** Returns what was before, of the difference and of what replaced it. Throws if they do not belong together. */
export const applyDelta = (delta: Uint8Array, after: Uint8Array): Uint8Array => {
  // Everything of both, and no more.
  const before = new Uint8Array(delta.length + after.length)
  if (delta.length < start || after.length < start) throw damaged()
  for (let i = 0; i < start; i++) before[i] = delta[i] as number
  const numbers = { at: start }
  let to = start
  let from = start
  while (numbers.at < delta.length) {
    const copied = readNumber(delta, numbers)
    const leftOut = readNumber(delta, numbers)
    const length = readNumber(delta, numbers)
    if (from + copied + leftOut > after.length || numbers.at + length > delta.length) throw damaged()
    for (const end = from + copied; from < end; from++) before[to++] = after[from] as number
    from += leftOut
    for (const end = numbers.at + length; numbers.at < end; numbers.at++)
      before[to++] = delta[numbers.at] as number
  }
  for (; from < after.length; from++) before[to++] = after[from] as number
  return before.subarray(0, to)
}

const damaged = (): Error => new RangeError('the history of a node is damaged')

const writeNumber = (target: Uint8Array, at: number, value: number): number => {
  let to = at
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) target[to++] = (rest & 0x7f) | 0x80
  target[to++] = rest
  return to
}

const readNumber = (bytes: Uint8Array, numbers: { at: number }): number => {
  let value = 0
  for (let shift = 0; shift < 21; shift += 7) {
    const byte = bytes[numbers.at++]
    if (byte === undefined) throw damaged()
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
  throw damaged()
}
