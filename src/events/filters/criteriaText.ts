import { fromHex, toHex } from '../../base/encoding/hex.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import { type FilterKind, isOfPool } from './kinds.ts'

/** The criteria of filters of what is pending begin so. */
const ofPool = 'pool:'

/** Numbers and bytes, which JSON does not have. */
const replace = (_: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return { $number: String(value) }
  return value instanceof Uint8Array ? { $bytes: toHex(value) } : value
}

const revive = (_: string, value: unknown): unknown => {
  const { $number: number, $bytes: bytes } = Object(value) as { $number?: unknown; $bytes?: unknown }
  if (typeof number === 'string') return BigInt(number)
  return typeof bytes === 'string' ? fromHex(bytes) : value
}

/** Returns what a filter looks for as a text, for gateways of other releases too. */
export const encodeCriteria = (criteria: FilterKind): string => {
  if (isOfPool(criteria)) return `${ofPool}${criteria.kind}`
  return criteria.kind === 'logs' ? `logs:${JSON.stringify(criteria.filter, replace)}` : criteria.kind
}

export const decodeCriteria = (text: string): FilterKind => {
  if (text === 'blocks') return { kind: 'blocks' }
  if (text === `${ofPool}pending`) return { kind: 'pending' }
  if (text === `${ofPool}transactions`) return { kind: 'transactions' }
  if (text.startsWith('logs:'))
    return { kind: 'logs', filter: JSON.parse(text.slice('logs:'.length), revive) as LogFilter } // as it was written
  throw new Error('this release does not know the kind of a filter of the fleet')
}
