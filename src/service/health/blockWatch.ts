import type { Chain } from '../../chain/port/chain.ts'

interface BlockWatchDependencies {
  readonly chain: Pick<Chain, 'mode' | 'events' | 'head' | 'blocks'>
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
  /** Returns the time of the clock in milliseconds since 1970. */
  readonly clock: () => number
}

/** How many blocks the offset of the clock is worked out from, so that one that came late does not move it. */
const offsetSamples = 9

/** Remembers when blocks came. What is told of it does not depend on the clock of this computer, which may be wrong. */
export class BlockWatch {
  readonly #dependencies: BlockWatchDependencies
  readonly #offsets: number[] = []
  readonly #stopListening: () => void
  /** When the newest block came, by the monotonic time. */
  #cameAt: number
  /** The newest block that came alone, and when, by the clock. */
  #last: { readonly number: number; readonly clockMs: number } | undefined

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
    const last = this.#last
    this.#last = from === to ? { number: to, clockMs: clock() } : undefined
    const time = chain.blocks.header(to)?.timestamp
    if (last === undefined || from !== to || last.number !== to - 1 || time === undefined) return
    this.#offsets.push(last.clockMs / 1000 - Number(time))
    if (this.#offsets.length > offsetSamples) this.#offsets.shift()
  }
}

const isDecidedElsewhere = ({ mode }: Pick<Chain, 'mode'>): boolean =>
  mode === 'cometbft' || mode === 'gateway'
