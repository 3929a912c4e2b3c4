import { toHex } from '../../base/hex.ts'
import type { LogPattern } from '../../chain/port/logs.ts'

/** What a log is found by, as DATA. */
export interface LogKeys {
  readonly address: string
  readonly topics: readonly string[]
}

/** A pattern in the same terms. */
export interface PatternKeys {
  readonly addresses: ReadonlySet<string>
  readonly topics: readonly ReadonlySet<string>[]
}

const start = /^\{"address":"(0x[0-9a-f]{40})","topics":\[([^\]]*)\]/

/** Longer than the address and four topics. */
const startLength = 400

/** Reads no more of a log's JSON than its beginning, where these stand. */
export const readLogKeys = (json: Uint8Array): LogKeys => {
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

/** Equal for patterns that match the same logs because they name the same keys. */
export const patternId = ({ addresses, topics }: PatternKeys): string =>
  [addresses, ...topics].map((keys) => [...keys].sort().join()).join(' ')

/** A position that asks for nothing still asks for a topic there, as in geth. */
export const matches = ({ addresses, topics }: PatternKeys, log: LogKeys): boolean =>
  (addresses.size === 0 || addresses.has(log.address)) &&
  topics.length <= log.topics.length &&
  topics.every((keys, position) => keys.size === 0 || keys.has(log.topics[position] as string)) // as long, see above
