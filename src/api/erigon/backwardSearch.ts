import type { Chain } from '../../chain/port/chain.ts'
import type { LogPattern } from '../../chain/port/logs.ts'
import { type SearchScope, searchSlice } from '../../events/filters/collectLogs.ts'
import { requestTimedOut } from '../../rpc/errors.ts'
import { askForLogs } from '../fork/remoteLogs.ts'

interface Searched {
  readonly pattern: LogPattern
  /** Topics of which a log must have one, at any position; every log matches if there is none. */
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
  readonly blockNumber: string
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
    const firstLocal = (this.#chain.fork?.number ?? -1) + 1
    let size = firstWindow
    let given = 0
    for (let end = to; end >= from; ) {
      // A window is either of this chain or of the one that it was forked from.
      const lowest = end < firstLocal ? from : Math.max(from, firstLocal)
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

  /** Counts what is held now, if it was never as much: memory is given back with the answer. */
  #hold(bytes: number): void {
    if (bytes <= this.#held) return
    this.#scope.hold(bytes - this.#held)
    this.#held = bytes
  }

  /** Returns the blocks of a window with their matching logs, in order. */
  async *#found(start: number, end: number): AsyncGenerator<LogsOfBlock> {
    const { pattern, wanted } = this.#searched
    const { fork, logs } = this.#chain
    const found =
      fork !== undefined && end <= fork.number
        ? await remoteBlocks(askForLogs(fork, pattern, { from: start, to: end }, this.#scope.signal))
        : logs.search(pattern, start, end)
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

/** Returns the logs of the remote by their blocks. */
const remoteBlocks = async (
  asked: ReturnType<typeof askForLogs>,
): Promise<readonly { readonly logs: LogsOfBlock }[]> => {
  const { text } = await asked
  if (text === undefined) return []
  const blocks = new Map<number, Uint8Array[]>()
  const logs = JSON.parse(`[${Buffer.from(text).toString()}]`) as readonly StoredLog[] // their numbers were looked at
  for (const log of logs) {
    const number = Number(log.blockNumber)
    const known = blocks.get(number)
    const json = Buffer.from(JSON.stringify(log))
    if (known === undefined) blocks.set(number, [json])
    else known.push(json)
  }
  return [...blocks].sort(([a], [b]) => a - b).map(([, ofBlock]) => ({ logs: ofBlock }))
}

/** Returns the logs of a block with those of the newest transaction first. A stable order keeps those of one as they are. */
const newestFirst = (logs: LogsOfBlock): LogsOfBlock =>
  logs
    .map((text) => ({ text, index: Number(parse(text).transactionIndex) }))
    .sort((a, b) => b.index - a.index)
    .map(({ text }) => text)
