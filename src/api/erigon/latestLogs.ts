import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import type { SearchScope } from '../../events/filters/collectLogs.ts'
import { invalidParams, limitExceeded } from '../../rpc/errors.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { type LogSettings, logsJson, resolveLogRange } from '../eth/logQuery.ts'
import { BackwardSearch } from './backwardSearch.ts'

export interface LatestLogOptions {
  /** The most logs; 0 if blocks are counted instead. */
  readonly logCount: number
  /** The most blocks with matches; 0 if logs are counted instead. */
  readonly blockCount: number
  /** Whether a topic may be at any position. */
  readonly ignoreTopicsOrder: boolean
}

const withCounts = ({ logCount, blockCount, ...options }: LatestLogOptions): LatestLogOptions => {
  if (logCount > 0 && blockCount > 0) throw invalidParams('logCount and blockCount exclude each other')
  return { ...options, logCount: logCount === 0 && blockCount === 0 ? 1 : logCount, blockCount }
}

/** Returns the filter for the whole chain where it names no first block, or the newest as the first, as in Erigon. */
const fromBeginning = (filter: LogFilter): LogFilter => {
  const { blocks } = filter
  if (blocks.kind !== 'range' || blocks.from.kind !== 'tag' || blocks.from.tag !== 'latest') return filter
  return { ...filter, blocks: { ...blocks, from: { kind: 'tag', tag: 'earliest' } } }
}

/** The newest logs that were found, until there are enough. */
class LatestLogs {
  readonly #options: LatestLogOptions
  readonly #settings: LogSettings
  readonly logs: Uint8Array[] = []
  #blocks = 0
  #bytes = 0

  constructor(options: LatestLogOptions, settings: LogSettings) {
    this.#options = options
    this.#settings = settings
  }

  /** Whether nothing older is needed beside this much more. Above a limit nothing is: the search ends with its error. */
  isEnough(more: { readonly blocks: number; readonly logs: number; readonly bytes: number }): boolean {
    const { logCount, blockCount } = this.#options
    const { logsCap, logsBytesCap } = this.#settings
    const count = this.logs.length + more.logs
    return (
      (logCount > 0 && count >= logCount) ||
      (blockCount > 0 && this.#blocks + more.blocks >= blockCount) ||
      (logsCap > 0 && count > logsCap) ||
      this.#bytes + more.bytes > logsBytesCap
    )
  }

  get areEnough(): boolean {
    return this.isEnough({ blocks: 0, logs: 0, bytes: 0 })
  }

  /** Adds the logs of the next older block; throws if they are more than one answer may have. */
  addBlock(logs: readonly Uint8Array[]): void {
    const { logsCap, logsBytesCap } = this.#settings
    const { logCount } = this.#options
    this.#blocks++
    for (const log of logs) {
      if (logCount > 0 && this.logs.length >= logCount) return
      if (logsCap > 0 && this.logs.length >= logsCap)
        throw limitExceeded(`more than ${logsCap} logs match (json-rpc.logs-cap)`, { limit: logsCap })
      this.#bytes += log.length + 1
      if (this.#bytes > logsBytesCap)
        throw limitExceeded(`more than ${logsBytesCap} bytes of logs match (json-rpc.logs-bytes-cap)`, {
          limit: logsBytesCap,
        })
      this.logs.push(log)
    }
  }
}

/**
 * Returns the newest logs that match a filter: the newest block and transaction first, those of a transaction in order. The
 * search goes back from the end of the range over as many blocks as one search may span, and fails where it would need more.
 */
export const findLatestLogs = async (
  chain: Chain,
  settings: LogSettings,
  filter: LogFilter,
  given: LatestLogOptions,
  scope: SearchScope,
): Promise<RawJson> => {
  const options = withCounts(given)
  const { logsCap, blockRangeCap } = settings
  if (logsCap > 0 && options.logCount > logsCap)
    throw limitExceeded(`at most ${logsCap} logs are given (json-rpc.logs-cap)`, { limit: logsCap })
  const { from: first, to } = resolveLogRange(chain, settings, fromBeginning(filter))
  const from = blockRangeCap > 0 ? Math.max(first, to - blockRangeCap + 1) : first
  const wanted = options.ignoreTopicsOrder ? new Set(filter.topics.flat().map(toHex)) : new Set<string>()
  const pattern = options.ignoreTopicsOrder ? { ...filter, topics: [] } : filter
  const found = new LatestLogs(options, settings)
  const search = new BackwardSearch(
    chain,
    { pattern, wanted, from, to },
    (more) => found.isEnough(more),
    scope,
  )
  for await (const block of search.blocks()) {
    found.addBlock(block)
    if (found.areEnough) return logsJson(found.logs)
  }
  if (from > first) throw rangeExceeded(blockRangeCap, from)
  return logsJson(found.logs)
}

const rangeExceeded = (blockRangeCap: number, from: number): Error =>
  limitExceeded(
    `at most ${blockRangeCap} blocks are searched (json-rpc.block-range-cap), which have fewer logs that match: ask from block ${toQuantity(from)}, or up to a lower one`,
    { setting: 'json-rpc.block-range-cap', limit: blockRangeCap, fromBlock: toQuantity(from) },
  )
