import { toHex } from '../../base/hex.ts'
import type { LogPattern } from '../../chain/port/logs.ts'

/** Looks at the JSON of a log, as `logWriter` lays it out, which stands in a row from `start` on. */
export type LogMatch = (row: DataView, start: number) => boolean

/** `{"address":"` */
const addressAt = 12
/** `{"address":"0x…","topics":[` */
const topicsAt = addressAt + 42 + 12
/** `"0x…"` and a comma. */
const topicStep = 69
const quote = 0x22
const comma = 0x2c

type TextMatch = (row: DataView, at: number) => boolean

/** Hex digits, four at a time: the values are of 20 or 32 bytes. */
const digitWords = (value: Uint8Array): readonly number[] => {
  const digits = Buffer.from(toHex(value).slice(2), 'latin1')
  return Array.from({ length: digits.length / 4 }, (_, word) => digits.readUInt32LE(4 * word))
}

/** Whether one of the values, as DATA, stands there; undefined where anything may. */
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

export const matchLogs = ({ addresses, topics }: LogPattern): LogMatch => {
  const address = anyOf(addresses)
  const positions = topics.map(anyOf)
  return (row, start) => {
    if (address !== undefined && !address(row, start + addressAt)) return false
    let at = start + topicsAt
    for (let position = 0; position < positions.length; position++) {
      // Behind the last topic stands a bracket: a log with fewer topics ends here.
      if (row.getUint8(at) !== quote || (position > 0 && row.getUint8(at - 1) !== comma)) return false
      const topic = positions[position]
      if (topic !== undefined && !topic(row, at + 1)) return false
      at += topicStep
    }
    return true
  }
}
