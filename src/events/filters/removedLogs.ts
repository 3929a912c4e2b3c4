import { toHex } from '../../base/encoding/hex.ts'
import type { LogPattern } from '../../chain/port/logs.ts'

/** Logs of reverted blocks that a filter has reported, from one height to another. */
export interface RemovedLogRange {
  /** Shared by all filters. */
  readonly blocks: readonly { readonly number: number; readonly logs: readonly Uint8Array[] }[]
  readonly from: number
  readonly to: number
}

interface LogMembers {
  readonly address: string
  readonly topics: readonly string[]
}

/** Returns a function that checks whether a log matches the pattern. */
const createLogMatcher = ({ addresses, topics }: LogPattern): ((log: LogMembers) => boolean) => {
  const wantedAddresses = new Set(addresses.map(toHex))
  const wantedTopics = topics.map((choices) => new Set(choices.map(toHex)))
  return (log) =>
    (wantedAddresses.size === 0 || wantedAddresses.has(log.address)) &&
    log.topics.length >= wantedTopics.length &&
    wantedTopics.every((wanted, position) => wanted.size === 0 || wanted.has(log.topics[position] as string)) // the length was checked above
}

export const matchingLogs = (pattern: LogPattern, removed: readonly RemovedLogRange[]): Uint8Array[] => {
  const isMatch = createLogMatcher(pattern)
  return removed.flatMap(({ blocks, from, to }) =>
    blocks
      .filter(({ number }) => number >= from && number <= to)
      .flatMap(
        ({ logs }) => logs.filter((log) => isMatch(JSON.parse(Buffer.from(log).toString()) as LogMembers)), // a log, as it was stored
      ),
  )
}
