import { toHex } from '../../base/encoding/hex.ts'
import type { LogPattern } from '../../chain/port/logs.ts'

/** The values by which a log is matched, as DATA. */
export interface LogKeys {
  readonly address: string
  readonly topics: readonly string[]
}

/** The values of a pattern, as DATA. */
export interface PatternKeys {
  readonly addresses: ReadonlySet<string>
  readonly topics: readonly ReadonlySet<string>[]
}

const start = /^\{"address":"(0x[0-9a-f]{40})","topics":\[([^\]]*)\]/

/** The number of bytes that are read, enough for the address and four topics. */
const startLength = 400

/** Parses the keys from the start of a log's JSON, without the rest. */
export const parseLogKeys = (json: Uint8Array): LogKeys => {
  const text = Buffer.from(json.buffer, json.byteOffset, Math.min(json.length, startLength)).toString(
    'latin1',
  )
  const [, address, topics] = start.exec(text) ?? []
  if (address === undefined || topics === undefined) throw new Error('not the JSON of a log')
  return { address, topics: topics === '' ? [] : topics.slice(1, -1).split('","') }
}

export const toPatternKeys = ({ addresses, topics }: LogPattern): PatternKeys => ({
  addresses: new Set(addresses.map(toHex)),
  topics: topics.map((alternatives) => new Set(alternatives.map(toHex))),
})

/** Returns an id that is equal for patterns with the same keys. */
export const patternId = ({ addresses, topics }: PatternKeys): string =>
  [addresses, ...topics].map((keys) => [...keys].sort().join()).join(' ')

/** Returns whether a log matches. A position without alternatives still requires a topic there, as in geth. */
export const matches = ({ addresses, topics }: PatternKeys, log: LogKeys): boolean =>
  (addresses.size === 0 || addresses.has(log.address)) &&
  topics.length <= log.topics.length &&
  topics.every((keys, position) => keys.size === 0 || keys.has(log.topics[position] as string)) // the length was checked above
