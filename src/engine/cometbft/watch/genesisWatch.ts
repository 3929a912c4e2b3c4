interface GenesisWatchOptions {
  /** How long another peer may take to bring the first block. */
  readonly graceMs: number
}

interface GenesisWatchDependencies {
  /** Returns the number of the newest block. */
  readonly height: () => number
  readonly peerCount: () => Promise<number>
  /** Called once, with the reason, if the chain of this home is not that of its peers. */
  readonly onForeign: (reason: string) => void
}

export const defaultGenesisOptions: GenesisWatchOptions = { graceMs: 5_000 }

/** What is said of a genesis that is another one. */
const remedy =
  'this home was begun with the genesis of another chain. Take the genesis file that the peers have, and a new home or `perihelion reset`'

/**
 * Ends a node whose genesis is not that of its peers. CometBFT says so in its log alone, and dials them for ever. It counts only
 * before the first block: afterwards the genesis is right, and it is the peer that is of another chain.
 */
export class GenesisWatch {
  readonly #options: GenesisWatchOptions
  readonly #dependencies: GenesisWatchDependencies
  #timer: NodeJS.Timeout | undefined

  constructor(options: GenesisWatchOptions, dependencies: GenesisWatchDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** To be called with each line of CometBFT's log. */
  onMessage(message: string, error: string): void {
    if (this.#timer !== undefined || this.#dependencies.height() > 0) return
    const network = message === 'Error dialing peer' && differentNetwork.exec(error)
    const block = message === 'Error in validation' && differentBlock.exec(error)
    if (network)
      this.#wait(`the peers are of the chain ${network[1]}, and this home of ${network[2]}: ${remedy}`, true)
    // Validators of this very genesis have signed that block.
    else if (block)
      this.#wait(
        `the chain of the peers begins with block 0x${block[2]?.toLowerCase()}, and that of this home with 0x${block[1]?.toLowerCase()}: ${remedy}`,
        false,
      )
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #wait(reason: string, isAlone: boolean): void {
    this.#timer = setTimeout(() => void this.#decide(reason, isAlone), this.#options.graceMs)
    this.#timer.unref()
  }

  async #decide(reason: string, isAlone: boolean): Promise<void> {
    const { height, peerCount, onForeign } = this.#dependencies
    this.#timer = undefined
    // A peer of the right chain may have no block yet either.
    if (isAlone && (await peerCount().catch(() => 1)) > 0) return
    if (height() === 0) onForeign(`genesis: ${reason}`)
  }
}

const differentNetwork = /peer is on a different network\. Got (\S+), expected (\S+)/
const differentBlock = /wrong Block\.Header\.AppHash\.\s+Expected ([0-9A-F]{64}), got ([0-9A-F]{64})/
