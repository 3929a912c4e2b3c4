import { toHex } from '../base/hex.ts'
import type { LogPattern } from '../chain/logReader.ts'

/** Looks at the JSON of a log, as `logWriter` lays it out, which stands in a row from `start` on. */
export type LogMatch = (row: Buffer, start: number) => boolean

/** `{"address":"` */
const addressAt = 12
/** `{"address":"0x…","topics":[` */
const topicsAt = addressAt + 42 + 12
/** `"0x…"` and a comma. */
const topicStep = 69
const quote = 0x22
const comma = 0x2c

type TextMatch = (row: Buffer, at: number) => boolean

/** Whether one of the values, as DATA, stands there; undefined where anything may. */
const anyOf = (values: readonly Uint8Array[]): TextMatch | undefined => {
  const texts = values.map(toHex)
  const [first] = texts
  if (first === undefined) return undefined
  const { length } = first
  if (texts.length === 1) {
    const wanted = Buffer.from(first, 'latin1')
    return (row, at) => {
      // A call of Buffer's own comparison costs more than this does; values differ most at their ends.
      for (let digit = length - 1; digit >= 0; digit--) if (row[at + digit] !== wanted[digit]) return false
      return true
    }
  }
  const wanted = new Set(texts)
  return (row, at) => wanted.has(row.toString('latin1', at, at + length))
}

export const matchLogs = ({ addresses, topics }: LogPattern): LogMatch => {
  const address = anyOf(addresses)
  const positions = topics.map(anyOf)
  return (row, start) => {
    if (address !== undefined && !address(row, start + addressAt)) return false
    let at = start + topicsAt
    for (let position = 0; position < positions.length; position++) {
      // Behind the last topic stands a bracket: a log with fewer topics ends here.
      if (row[at] !== quote || (position > 0 && row[at - 1] !== comma)) return false
      const topic = positions[position]
      if (topic !== undefined && !topic(row, at + 1)) return false
      at += topicStep
    }
    return true
  }
}
