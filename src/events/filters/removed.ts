import { toHex } from '../../base/hex.ts'
import type { LogPattern } from '../../chain/port/logs.ts'

/** Logs of blocks that are gone, of which a filter has reported those between two heights. */
export interface RemovedPart {
  /** Shared by all filters. */
  readonly blocks: readonly { readonly number: number; readonly logs: readonly Uint8Array[] }[]
  readonly from: number
  readonly to: number
}

interface LogMembers {
  readonly address: string
  readonly topics: readonly string[]
}

/** Whether the JSON of a log has what is asked for. */
export const logMatcher = ({ addresses, topics }: LogPattern): ((log: LogMembers) => boolean) => {
  const wantedAddresses = new Set(addresses.map(toHex))
  const wantedTopics = topics.map((choices) => new Set(choices.map(toHex)))
  return (log) =>
    (wantedAddresses.size === 0 || wantedAddresses.has(log.address)) &&
    log.topics.length >= wantedTopics.length &&
    wantedTopics.every((wanted, position) => wanted.size === 0 || wanted.has(log.topics[position] as string)) // counted
}

export const matchingLogs = (pattern: LogPattern, removed: readonly RemovedPart[]): Uint8Array[] => {
  const isMatch = logMatcher(pattern)
  return removed.flatMap(({ blocks, from, to }) =>
    blocks
      .filter(({ number }) => number >= from && number <= to)
      .flatMap(
        ({ logs }) => logs.filter((log) => isMatch(JSON.parse(Buffer.from(log).toString()) as LogMembers)), // a log, as it was stored
      ),
  )
}
