import { toHex } from '../../base/encoding/hex.ts'
import type { LogFilter } from '../../chain/block/logFilter.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { BlockLogs, LogPattern } from '../../chain/port/logs.ts'
import { type SearchScope, searchSlice } from '../../events/filters/collectLogs.ts'
import { invalidParams, limitExceeded, requestTimedOut } from '../../rpc/errors.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { type LogSettings, logsJson, resolveLogRange } from '../eth/logQuery.ts'

export interface LatestLogOptions {
  /** The most logs; 0 if blocks are counted instead. */
  readonly logCount: number
  /** The most blocks with matches; 0 if logs are counted instead. */
  readonly blockCount: number
  /** Whether a topic may be at any position. */
  readonly ignoreTopicsOrder: boolean
}

/** The members of a stored log that are read here. */
interface StoredLog {
  readonly topics: readonly string[]
  readonly transactionIndex: string
}

/** The blocks that are searched first; each further search goes over four times as many. */
const firstWindow = 1_024

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

/** Returns the newest logs that match a filter: the newest block and transaction first, those of a transaction in order. */
export const findLatestLogs = async (
  chain: Chain,
  settings: LogSettings,
  filter: LogFilter,
  given: LatestLogOptions,
  scope: SearchScope,
): Promise<RawJson> => {
  const options = withCounts(given)
  const { logsCap, logsBytesCap } = settings
  if (logsCap > 0 && options.logCount > logsCap)
    throw limitExceeded(`at most ${logsCap} logs are given (json-rpc.logs-cap)`, { limit: logsCap })
  const range = resolveLogRange(chain, settings, fromBeginning(filter))
  const wanted = options.ignoreTopicsOrder ? new Set(filter.topics.flat().map(toHex)) : new Set<string>()
  const pattern = options.ignoreTopicsOrder ? { ...filter, topics: [] } : filter
  const search = new BackwardSearch(chain, { pattern, wanted, ...range }, scope)
  const found: Uint8Array[] = []
  let [blocks, bytes] = [0, 0]
  for await (const block of search.blocks()) {
    blocks++
    for (const log of block) {
      if (options.logCount > 0 && found.length >= options.logCount) return logsJson(found)
      if (logsCap > 0 && found.length >= logsCap)
        throw limitExceeded(`more than ${logsCap} logs match (json-rpc.logs-cap)`, { limit: logsCap })
      bytes += log.length + 1
      if (bytes > logsBytesCap)
        throw limitExceeded(`more than ${logsBytesCap} bytes of logs match (json-rpc.logs-bytes-cap)`, {
          limit: logsBytesCap,
        })
      found.push(log)
    }
    if (options.blockCount > 0 && blocks >= options.blockCount) break
  }
  return logsJson(found)
}

interface Searched {
  readonly pattern: LogPattern
  /** Topics of which a log must have one, at any position; every log matches if there is none. */
  readonly wanted: ReadonlySet<string>
  readonly from: number
  readonly to: number
}

/**
 * Finds the blocks with matches, the newest first. The search goes forwards in windows that begin at the end. It takes turns
 * with others, and counts what it keeps of a window.
 */
class BackwardSearch {
  readonly #chain: Chain
  readonly #searched: Searched
  readonly #scope: SearchScope
  readonly #slice = searchSlice()

  constructor(chain: Chain, searched: Searched, scope: SearchScope) {
    this.#chain = chain
    this.#searched = searched
    this.#scope = scope
  }

  /** Returns the matching logs of one block after the other. */
  async *blocks(): AsyncGenerator<readonly Uint8Array[]> {
    const { from, to } = this.#searched
    let size = firstWindow
    for (let end = to; end >= from; ) {
      const start = Math.max(from, end - size + 1)
      yield* (await this.#window(start, end)).reverse()
      end = start - 1
      size *= 4
    }
  }

  async #window(start: number, end: number): Promise<(readonly Uint8Array[])[]> {
    const { pattern, wanted } = this.#searched
    const found: (readonly Uint8Array[])[] = []
    for (const block of this.#chain.logs.search(pattern, start, end)) {
      if (this.#slice.isOver) await this.#slice.next()
      if (this.#scope.signal.aborted) throw requestTimedOut()
      const matching = block.count > 0 ? newestFirst(block, wanted) : []
      if (matching.length === 0) continue
      this.#scope.hold(matching.reduce((bytes, log) => bytes + log.length, 0))
      found.push(matching)
    }
    return found
  }
}

const newestFirst = ({ logs }: BlockLogs, wanted: ReadonlySet<string>): readonly Uint8Array[] => {
  const parsed = logs.map((text) => ({ text, log: JSON.parse(Buffer.from(text).toString()) as StoredLog })) // stored JSON
  const matching =
    wanted.size === 0 ? parsed : parsed.filter(({ log }) => log.topics.some((topic) => wanted.has(topic)))
  // A stable order keeps the logs of a transaction as they are.
  return matching
    .sort((a, b) => Number(b.log.transactionIndex) - Number(a.log.transactionIndex))
    .map(({ text }) => text)
}
