import { textOf } from './json.ts'
import type { NativeTime } from './native.ts'
import { UpstreamFault } from './upstreamFault.ts'

const isTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/

/** RFC 3339 in UTC, to the nanosecond. */
export const timeOf = (value: unknown, where: string): NativeTime => {
  const text = textOf(value, where, 40)
  const [, toSeconds, fraction = ''] = isTime.exec(text) ?? []
  const milliseconds = toSeconds === undefined ? Number.NaN : Date.parse(`${toSeconds}.000Z`)
  // A day that no month has is moved to the next one by some parsers: the way back says so.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== `${toSeconds}.000Z`)
    throw new UpstreamFault(`${where} is not a time`)
  return { seconds: BigInt(milliseconds / 1000), nanos: Number(fraction.padEnd(9, '0')) }
}
