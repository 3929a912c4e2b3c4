import { searchable } from '#platform/binary'
import { backslash, comma, openBrace, openBracket, quote } from './jsonCodes.ts'

/**
 * Returns whether JSON has more than `max` values, which is found without parsing it: a value costs two bytes of text,
 * and a hundred of memory. Text that is not JSON gives any answer.
 */
export const hasMoreJsonValues = (json: Uint8Array, max: number): boolean => {
  const bytes = searchable(json)
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at + 1)
    else if ((byte === comma || byte === openBracket || byte === openBrace) && ++values > max) return true
  }
  return false
}

/** What each value but the first of its list begins with, and each object and list. */
const marks = ['{', '[', ',']

/**
 * Returns whether JSON as text has more than `max` values. Marks within strings count too: those of requests and answers are
 * words, which have none.
 */
export const hasMoreJsonValuesInText = (text: string, max: number): boolean => {
  if (text.length <= max) return false
  let count = 0
  for (const mark of marks)
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1))
      if (++count > max) return true
  return false
}

/** What any answer may have, and what a longer one may have for each of its characters. */
const fewValues = 150_000
const valuesPerCharacter = 1 / 4

/** Returns whether a response has so many values that it would take many times its length to parse: no node sends that. */
export const isTooDense = (text: string): boolean =>
  hasMoreJsonValuesInText(text, Math.max(fewValues, text.length * valuesPerCharacter))

/** Returns how many backslashes stand right before an index, from another one on. */
const backslashesBefore = (bytes: Uint8Array, at: number, from: number): number => {
  let count = 0
  while (at - 1 - count >= from && bytes[at - 1 - count] === backslash) count++
  return count
}

/** Returns the index of the quote that ends a text; the length of the bytes if it does not end. */
export const endOfText = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1))
    if (backslashesBefore(bytes, at, from) % 2 === 0) return at
  return bytes.length
}

/** Skips the texts of JSON that arrives in pieces, each of which may end anywhere in one. */
export class TextSkipper {
  /** Whether the next byte is within a text. */
  isInText = false
  #isEscaped = false

  /** Returns the index after the end of the text that a byte is in, or the length of the piece if it does not end there. */
  skip(piece: Uint8Array, from: number): number {
    const start = this.#isEscaped ? from + 1 : from
    const end = endOfText(piece, start)
    this.isInText = end >= piece.length
    this.#isEscaped = this.isInText && backslashesBefore(piece, piece.length, start) % 2 === 1
    return Math.min(end + 1, piece.length)
  }
}
