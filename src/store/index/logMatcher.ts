import { toHex } from '../../base/encoding/hex.ts'
import { comma, quote } from '../../base/json/jsonCodes.ts'
import type { LogPattern } from '../../chain/port/logs.ts'

/** Checks the JSON of a log, in the layout of `createLogWriter`, that starts at `start` of a row. */
export type LogMatcher = (row: DataView, start: number) => boolean

/** The offset of the address, after `{"address":"`. */
const addressAt = 12
/** The offset of the topics, after `{"address":"0x…","topics":[`. */
const topicsAt = addressAt + 42 + 12
/** The length of a topic: `"0x…"` and a comma. */
const topicStep = 69

type TextMatch = (row: DataView, at: number) => boolean

/** Returns the hex digits of a value of 20 or 32 bytes, four at a time. */
const digitWords = (value: Uint8Array): readonly number[] => {
  const digits = Buffer.from(toHex(value).slice(2), 'latin1')
  return Array.from({ length: digits.length / 4 }, (_, word) => digits.readUInt32LE(4 * word))
}

/** Returns a match for any of the values as DATA; undefined if any text matches. */
const anyOf = (values: readonly Uint8Array[]): TextMatch | undefined => {
  const [first] = values
  if (first === undefined) return undefined
  if (values.length === 1) {
    const words = digitWords(first)
    return (row, at) => {
      // Values differ most at their ends.
      for (let word = words.length - 1; word >= 0; word--)
        if (row.getUint32(at + 2 + 4 * word, true) !== words[word]) return false
      return true
    }
  }
  const wanted = new Set(values.map(toHex))
  const length = 2 + 2 * first.length
  return ({ buffer, byteOffset }, at) =>
    wanted.has(Buffer.from(buffer, byteOffset + at, length).toString('latin1'))
}

export const createRowLogMatcher = ({ addresses, topics }: LogPattern): LogMatcher => {
  const address = anyOf(addresses)
  const positions = topics.map(anyOf)
  return (row, start) => {
    if (address !== undefined && !address(row, start + addressAt)) return false
    let at = start + topicsAt
    for (let position = 0; position < positions.length; position++) {
      // The last topic is followed by a bracket: a log with fewer topics ends here.
      if (row.getUint8(at) !== quote || (position > 0 && row.getUint8(at - 1) !== comma)) return false
      const topic = positions[position]
      if (topic !== undefined && !topic(row, at + 1)) return false
      at += topicStep
    }
    return true
  }
}
