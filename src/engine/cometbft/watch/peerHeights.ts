import type { ConsensusState } from '../../../comet/data/replies.ts'
import type { EngineRpcClient } from '../rpcClient.ts'

interface PeerHeightsDependencies {
  readonly rpc: Pick<EngineRpcClient, 'consensusState'>
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
}

/** How old a response may be; the engine writes a lot to give it. */
const freshMs = 1_000
/** How old a response may be while the next one is waited for: the engine gives none while it applies a block. */
const usableMs = 15_000

/** The share of the peers that must have a block, so that one that lies moves nothing among four or more. */
const share = 1 / 3

/** Reads the height of the network from what the peers of CometBFT say of themselves: its status knows of this node alone. */
export class PeerHeights {
  readonly #dependencies: PeerHeightsDependencies
  #height = 0
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(dependencies: PeerHeightsDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the newest block of the network; 0 if no peer tells. */
  async height(): Promise<number> {
    const age = this.#dependencies.now() - this.#readAt
    if (age < freshMs) return this.#height
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    if (age >= usableMs) await this.#reading
    return this.#height
  }

  async #read(): Promise<void> {
    const { rpc, now } = this.#dependencies
    try {
      this.#height = networkHeight(await rpc.consensusState())
    } catch {
      this.#height = 0
    }
    this.#readAt = now()
  }
}

/** Returns the highest block that a third of the peers have. */
export const networkHeight = ({ peerHeights }: Pick<ConsensusState, 'peerHeights'>): number => {
  const heights = peerHeights.filter((height) => height > 0).sort((a, b) => b - a)
  // A peer is at the height that it decides, so that it has the one before.
  return (heights[Math.ceil(heights.length * share) - 1] ?? 1) - 1
}
