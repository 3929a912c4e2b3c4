import type { Chain } from '../../chain/port/chain.ts'

interface BlockWatchDependencies {
  readonly chain: Pick<Chain, 'mode' | 'events' | 'head' | 'blocks' | 'network'>
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
  /** Returns the time of the clock in milliseconds since 1970. */
  readonly clock: () => number
}

/** How many blocks the offset of the clock is worked out from, so that one that came late does not move it. */
const offsetSamples = 9
/** An offset up to here needs no look at the network: it alarms nobody, and old blocks have a larger one. */
const usualOffsetSeconds = 5

interface Arrival {
  readonly number: number
  readonly clockMs: number
  /** How long after the block before; undefined if that came with others. */
  readonly pauseMs: number | undefined
}

/** Remembers when blocks came. What is reported of it does not depend on the clock of this computer, which may be wrong. */
export class BlockWatch {
  readonly #dependencies: BlockWatchDependencies
  readonly #offsets: number[] = []
  readonly #stopListening: () => void
  /** When the newest block came, by the monotonic time. */
  #cameAt: number
  /** The newest block that came alone. */
  #last: Arrival | undefined

  constructor(dependencies: BlockWatchDependencies) {
    const { chain, now, clock } = dependencies
    this.#dependencies = dependencies
    // A chain that others decide may have stood before this start: until a block comes only its time tells.
    const ageMs = isDecidedElsewhere(chain) ? Math.max(0, clock() - chain.head().time * 1000) : 0
    this.#cameAt = now() - ageMs
    this.#stopListening = chain.events.onHead((change) => {
      if (change.kind === 'reverted') return
      this.#cameAt = now()
      this.#compareClocks(change.from, change.to)
    })
  }

  secondsSinceBlock(): number {
    return (this.#dependencies.now() - this.#cameAt) / 1000
  }

  /** Returns by how many seconds the clock here is ahead of the validators'; 0 while that is not known. */
  clockOffset(): number {
    const sorted = [...this.#offsets].sort((a, b) => a - b)
    return sorted[sorted.length >> 1] ?? 0
  }

  close(): void {
    this.#stopListening()
  }

  /** The time of a block is the median of the clocks with which its validators signed the one before, which came here then. */
  #compareClocks(from: number, to: number): void {
    const { chain, clock } = this.#dependencies
    if (!isDecidedElsewhere(chain)) return
    const previous = this.#last?.number === from - 1 ? this.#last : undefined
    const clockMs = clock()
    this.#last =
      from === to ? { number: to, clockMs, pauseMs: previous && clockMs - previous.clockMs } : undefined
    const time = chain.blocks.header(to)?.timestamp
    if (previous?.pauseMs === undefined || from !== to || time === undefined) return
    const pauseOfChainMs = Number(time - (chain.blocks.header(to - 1)?.timestamp ?? time)) * 1000
    // Blocks that come faster than they were made are old ones.
    if (previous.pauseMs < pauseOfChainMs / 2) return
    void this.#addOffset(previous.clockMs / 1000 - Number(time))
  }

  /** Adds an offset, unless the node is behind: then its newest block is not one that was signed just now. */
  async #addOffset(offset: number): Promise<void> {
    if (Math.abs(offset) > usualOffsetSeconds && (await this.#isBehind())) return
    this.#offsets.push(offset)
    if (this.#offsets.length > offsetSamples) this.#offsets.shift()
  }

  async #isBehind(): Promise<boolean> {
    try {
      return (await this.#dependencies.chain.network.syncing()) !== undefined
    } catch {
      // An engine that does not answer may be behind.
      return true
    }
  }
}

const isDecidedElsewhere = ({ mode }: Pick<Chain, 'mode'>): boolean =>
  mode === 'cometbft' || mode === 'gateway'
