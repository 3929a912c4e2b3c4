import type { Chain } from '../../chain/port/chain.ts'
import type { LogPattern } from '../../chain/port/logs.ts'
import { type SearchScope, searchSlice } from '../../events/filters/collectLogs.ts'
import { requestTimedOut } from '../../rpc/errors.ts'

interface Searched {
  readonly pattern: LogPattern
  /** A log must have one of these topics, at any position; every log matches if the set is empty. */
  readonly wanted: ReadonlySet<string>
  readonly from: number
  readonly to: number
}

/** How much of a window is kept. */
interface Kept {
  readonly blocks: number
  readonly logs: number
  readonly bytes: number
}

/** The members of a stored log that are read here. */
interface StoredLog {
  readonly topics: readonly string[]
  readonly transactionIndex: string
}

/** The logs of one block that may match. */
type LogsOfBlock = readonly Uint8Array[]

/** The blocks that are searched first; each further search goes over four times as many. */
const firstWindow = 4

/**
 * Finds the blocks with matches, the newest first. The search goes forwards in windows that begin at the end. It takes turns
 * with others, and keeps of a window only what may be needed, which it counts.
 */
export class BackwardSearch {
  readonly #chain: Chain
  readonly #searched: Searched
  /** Whether nothing older is needed beside this much of a window. */
  readonly #isEnough: (kept: Kept) => boolean
  readonly #scope: SearchScope
  readonly #slice = searchSlice()
  #held = 0

  constructor(chain: Chain, searched: Searched, isEnough: (kept: Kept) => boolean, scope: SearchScope) {
    this.#chain = chain
    this.#searched = searched
    this.#isEnough = isEnough
    this.#scope = scope
  }

  /** Returns the matching logs of one block after the other. */
  async *blocks(): AsyncGenerator<LogsOfBlock> {
    const { from, to } = this.#searched
    const { firstHere } = this.#chain.logs.bounds()
    let size = firstWindow
    let given = 0
    for (let end = to; end >= from; ) {
      // No other node is asked as long as something may be found here.
      const lowest = end < firstHere ? from : Math.max(from, firstHere)
      const start = Math.max(lowest, end - size + 1)
      const found = await this.#window(start, end, given)
      for (const logs of found.reverse()) {
        given += sizeOf(logs)
        yield newestFirst(logs)
      }
      end = start - 1
      size *= 4
    }
  }

  /** Returns the newest blocks of a window that may be needed, the oldest first. `given` bytes of newer ones are held. */
  async #window(start: number, end: number, given: number): Promise<LogsOfBlock[]> {
    const kept: LogsOfBlock[] = []
    let [logs, bytes] = [0, 0]
    for await (const block of this.#found(start, end)) {
      kept.push(block)
      logs += block.length
      bytes += sizeOf(block)
      for (let oldest = kept[0]; oldest !== undefined; oldest = kept[0]) {
        const rest = {
          blocks: kept.length - 1,
          logs: logs - oldest.length,
          bytes: bytes - sizeOf(oldest),
        }
        if (rest.blocks === 0 || !this.#isEnough(rest)) break
        kept.shift()
        logs = rest.logs
        bytes = rest.bytes
      }
      this.#hold(given + bytes)
    }
    return kept
  }

  /** Counts what is held now, if it was never as much: memory is given back with the response. */
  #hold(bytes: number): void {
    if (bytes <= this.#held) return
    this.#scope.hold(bytes - this.#held)
    this.#held = bytes
  }

  /** Returns the blocks of a window with their matching logs, in order. */
  async *#found(start: number, end: number): AsyncGenerator<LogsOfBlock> {
    const { pattern, wanted } = this.#searched
    const found = await this.#chain.logs.searchAll(pattern, start, end, this.#scope)
    for (const block of found) {
      if (this.#slice.isOver) await this.#slice.next()
      if (this.#scope.signal.aborted) throw requestTimedOut()
      const matching = wanted.size === 0 ? block.logs : block.logs.filter((log) => hasTopic(log, wanted))
      if (matching.length > 0) yield matching
    }
  }
}

const parse = (log: Uint8Array): StoredLog =>
  JSON.parse(Buffer.from(log.buffer, log.byteOffset, log.length).toString()) as StoredLog // stored JSON

const hasTopic = (log: Uint8Array, wanted: ReadonlySet<string>): boolean =>
  parse(log).topics.some((topic) => wanted.has(topic))

const sizeOf = (logs: LogsOfBlock): number => logs.reduce((bytes, log) => bytes + log.length, 0)

/** Returns the logs of a block with those of the newest transaction first. A stable order keeps those of one as they are. */
const newestFirst = (logs: LogsOfBlock): LogsOfBlock =>
  logs
    .map((text) => ({ text, index: Number(parse(text).transactionIndex) }))
    .sort((a, b) => b.index - a.index)
    .map(({ text }) => text)
