interface GenesisWatchOptions {
  /** How long another peer may take to bring the first block. */
  readonly graceMs: number
}

interface GenesisWatchDependencies {
  /** The ids of the peers that the engine keeps, without its own. */
  readonly persistentPeers: readonly string[]
  /** Returns the number of the newest block. */
  readonly height: () => number
  readonly peerCount: () => Promise<number>
  /** Called once, with what is known, when the first peer says that it is of another chain. */
  readonly onStranger: (text: string) => void
  /** Called once, with the reason, if the chain of this home is not that of its peers. */
  readonly onForeign: (reason: string) => void
}

export const defaultGenesisOptions: GenesisWatchOptions = { graceMs: 5_000 }

/** What is said of a genesis that is another one. */
const remedy =
  'this home was begun with the genesis of another chain. Take the genesis file that the peers have, and a new home or `perihelion reset`'

/**
 * Ends a node whose genesis is not that of its peers. CometBFT says so in its log alone, and keeps dialling them. It counts only
 * before the first block: afterwards the genesis is right, and it is the peer that is of another chain. Until then one peer may be
 * the wrong one too, so that all that the operator named must say so: at the launch of a network others come up later.
 */
export class GenesisWatch {
  readonly #options: GenesisWatchOptions
  readonly #dependencies: GenesisWatchDependencies
  /** The ids of peers that said that they are of another chain. */
  readonly #strangers = new Set<string>()
  #hasWarned = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: GenesisWatchOptions, dependencies: GenesisWatchDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** To be called with each line of CometBFT's log. The address is that of a peer, if the line has one: `id@host:port`. */
  onMessage(message: string, error: string, address: string): void {
    if (this.#dependencies.height() > 0) return
    const network = dialMessages.has(message) && differentNetwork.exec(error)
    const block = message === 'Error in validation' && differentBlock.exec(error)
    if (network) this.#addStranger(address.split('@', 1)[0] ?? '', network)
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

  #addStranger(id: string, [, theirs, ours]: readonly string[]): void {
    const { persistentPeers, onStranger } = this.#dependencies
    if (!this.#hasWarned) onStranger(`a peer is of the chain ${theirs}, and this home of ${ours}`)
    this.#hasWarned = true
    this.#strangers.add(id)
    if (persistentPeers.length > 0 && persistentPeers.every((peer) => this.#strangers.has(peer)))
      this.#wait(`the peers are of the chain ${theirs}, and this home of ${ours}: ${remedy}`, true)
  }

  #wait(reason: string, isAlone: boolean): void {
    if (this.#timer !== undefined) return
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

/** The first attempt, which does not say with whom, and each one after it, which does. */
const dialMessages: ReadonlySet<string> = new Set([
  'Error dialing peer',
  'Error reconnecting to peer. Trying again',
])
const differentNetwork = /peer is on a different network\. Got (\S+), expected (\S+)/
const differentBlock = /wrong Block\.Header\.AppHash\.\s+Expected ([0-9A-F]{64}), got ([0-9A-F]{64})/
