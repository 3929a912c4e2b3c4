import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import type { MemoryClient } from '../criteriaMemory.ts'
import type { RemovedLogRange } from './removedLogs.ts'

export type FilterKind =
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'blocks' }
  | { readonly kind: 'pending' }
  /** Whole transactions that become pending. */
  | { readonly kind: 'transactions' }

/** The names of the kinds in error messages. */
export const filterNames = {
  logs: 'log',
  blocks: 'block',
  pending: 'pending transaction',
  transactions: 'pending transaction',
} as const

/** Returns whether a filter reports what the pool has, not what is in blocks. */
export const isOfPool = ({ kind }: FilterKind): boolean => kind === 'pending' || kind === 'transactions'

/** The owner of a filter: a connection, or the client address over HTTP. */
export type FilterOwner = object | string

/** A filter. It is kept small, because there may be very many. */
export interface Filter {
  readonly criteria: FilterKind
  readonly owner: FilterOwner
  /** The client whose memory it takes. */
  readonly client: MemoryClient
  /** The blocks that may ever be reported, both included. */
  readonly first: number
  readonly last: number
  /** The first block that was or will be reported. */
  since: number
  /** The next block to report, or the number of the next hash or transaction. */
  next: number
  usedAt: number
  /** Logs that were reported and then reverted. */
  removed: readonly RemovedLogRange[] | undefined
  /** Settles when the running poll has ended. */
  polling: Promise<void> | undefined
}

const numberOf = (height: BlockNumberOrTag): number | undefined =>
  height.kind === 'number' ? Number(height.number) : undefined

/** Returns the blocks that a new filter may report: as in geth, none of the past and none outside of its range. */
export const liveRange = (
  criteria: FilterKind,
  head: number,
): { readonly first: number; readonly last: number } => {
  if (criteria.kind !== 'logs') return { first: 0, last: Number.POSITIVE_INFINITY }
  const { blocks } = criteria.filter
  // A block that is given by its hash exists already, so that it is never reported.
  if (blocks.kind === 'hash') return { first: head + 1, last: -1 }
  return { first: numberOf(blocks.from) ?? 0, last: numberOf(blocks.to) ?? Number.POSITIVE_INFINITY }
}
