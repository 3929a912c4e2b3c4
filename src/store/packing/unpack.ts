import { copyInto } from '../tables/peek.ts'
import { area, packing, reserve, slack } from './module.ts'

const damagedText = (): RangeError => new RangeError('a packed text is damaged')

/**
 * Copies a row into the memory of the module, with room for a text behind it, and returns where the text goes. Places that a
 * damaged row names beyond itself are rejected, since the module would read other memory there.
 */
const place = (row: Buffer, body: number, start: number, end: number, textLength: number): number => {
  if (body > start || start > end || end > row.length) throw damagedText()
  const textAt = area + end + slack
  copyInto(row, 0, end, reserve(end + textLength + 2 * slack), area)
  return textAt
}

const take = (textAt: number, length: number, expected: number, target: Uint8Array, to: number): number => {
  if (length !== expected) throw damagedText()
  copyInto(reserve(0), textAt, textAt + length, target, to)
  return to + length
}

/** Expands the tokens from `start` to `end` of a row, which are `length` characters of text, into the target. */
export const unpackInto = (
  row: Buffer,
  start: number,
  end: number,
  body: number,
  length: number,
  target: Uint8Array,
  to: number,
): number => {
  const textAt = place(row, body, start, end, length)
  const written = packing.unpack(area + start, area + end, area + body, textAt, textAt + length)
  return take(textAt, written, length, target, to)
}

/** Returns the text between `start` and `end` of a row, before which its length stands. */
export const unpackEntry = (
  row: Buffer,
  start: number,
  end: number,
  body: number,
  allocate: (length: number) => Uint8Array,
): Uint8Array => {
  place(row, body, start, end, 0)
  const length = packing.textLength(area + start)
  if (length < 0) throw damagedText()
  reserve(end + length + 2 * slack)
  const textAt = area + end + slack
  const written = packing.unpackEntry(area + start, area + end, area + body, textAt, textAt + length)
  if (written !== length) throw damagedText()
  const text = allocate(length)
  take(textAt, written, length, text, 0)
  return text
}

/**
 * Expands all texts of a body, with commas between them, into the target up to its end at most, and returns where they end.
 * The end of each in the body stands at `ends`, 4 bytes each.
 */
export const unpackAll = (
  row: Buffer,
  ends: number,
  count: number,
  body: number,
  target: Uint8Array,
  to: number,
): number => {
  const { length } = row
  const room = target.length - to
  const textAt = place(row, body, body, length, room)
  const written = packing.unpackAll(area + ends, count, area + body, area + length, textAt, textAt + room)
  if (written < 0) throw damagedText()
  copyInto(reserve(0), textAt, textAt + written, target, to)
  return to + written
}
