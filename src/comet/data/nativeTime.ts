import { parseText } from './fields.ts'
import type { NativeTime } from './nativeBlock.ts'
import { UpstreamError } from './upstreamError.ts'

const isTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/

/** Parses a time in RFC 3339 and UTC, with nanoseconds. */
export const parseTime = (value: unknown, where: string): NativeTime => {
  const text = parseText(value, where, 40)
  const [, toSeconds, fraction = ''] = isTime.exec(text) ?? []
  const milliseconds = toSeconds === undefined ? Number.NaN : Date.parse(`${toSeconds}.000Z`)
  // Some parsers move a day that does not exist to the next month, which the conversion back reveals.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== `${toSeconds}.000Z`)
    throw new UpstreamError(`${where} is not a time`)
  return { seconds: BigInt(milliseconds / 1000), nanos: Number(fraction.padEnd(9, '0')) }
}
