import { toHex } from '../../base/encoding/hex.ts'
import { JobProgress } from '../../base/logging/jobProgress.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { NetworkValidator, Peer } from '../../chain/port/network.ts'

interface NetworkLogDependencies {
  readonly chain: Pick<Chain, 'mode' | 'network' | 'head'>
  readonly log: Logger
  /** How often the network is looked at, in milliseconds. */
  readonly pollMs?: number
}

const defaultPollMs = 3_000

/** Tells in the log of peers that come and go, of changes of the validator set, and how far a node is that is behind. */
export class NetworkLog {
  readonly #dependencies: NetworkLogDependencies
  readonly #timer: NodeJS.Timeout | undefined
  readonly #progress: JobProgress
  #peers: ReadonlyMap<string, Peer> | undefined
  #validators: ReadonlyMap<string, NetworkValidator> | undefined
  #isBehind = false
  #isPolling = false

  constructor(dependencies: NetworkLogDependencies) {
    const { chain, log, pollMs = defaultPollMs } = dependencies
    this.#dependencies = dependencies
    this.#progress = new JobProgress(
      { doing: 'catching up with the network', done: 'caught up with the network', unit: 'blocks' },
      log,
    )
    // The peers of a gateway's nodes are not its own, and it tells itself how far it is.
    if (chain.mode !== 'cometbft') return
    this.#timer = setInterval(() => void this.poll(), pollMs)
    this.#timer.unref()
    void this.poll()
  }

  get isBehind(): boolean {
    return this.#isBehind
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Looks at the network once. What the engine does not answer is looked at again. */
  async poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      await this.#followSync()
      await this.#followPeers()
      if (!this.#isBehind) await this.#followValidators()
    } catch {
      // The readiness of the node tells that its engine is gone.
    } finally {
      this.#isPolling = false
    }
  }

  async #followSync(): Promise<void> {
    const sync = await this.#dependencies.chain.network.syncing()
    this.#isBehind = sync !== undefined
    if (sync === undefined) this.#progress.end()
    else if (sync.highestBlock > sync.currentBlock) this.#progress.step(sync.currentBlock, sync.highestBlock)
  }

  async #followPeers(): Promise<void> {
    const { chain, log } = this.#dependencies
    const before = this.#peers ?? new Map<string, Peer>()
    const now = new Map((await chain.network.peers()).map((peer) => [peer.id, peer]))
    this.#peers = now
    const tell = ({ id, name, address }: Peer, what: string): void =>
      log.info({ id, name, address, peers: now.size }, what)
    for (const [id, peer] of now) if (!before.has(id)) tell(peer, 'a peer joined')
    for (const [id, peer] of before) if (!now.has(id)) tell(peer, 'a peer left')
  }

  async #followValidators(): Promise<void> {
    const { chain, log } = this.#dependencies
    const set = await chain.network.validatorSet(chain.head().number + 1)
    const now = new Map(set.map((validator) => [toHex(validator.engineAddress), validator]))
    const before = this.#validators
    this.#validators = now
    if (before === undefined) return
    for (const address of new Set([...now.keys(), ...before.keys()])) {
      const [was, is] = [before, now].map((set) => Number(set.get(address)?.power ?? 0n))
      if (was !== is)
        log.info(
          { validator: address, power: is, was, validators: now.size },
          was === 0
            ? 'a validator joined'
            : is === 0
              ? 'a validator left'
              : 'the power of a validator changed',
        )
    }
  }
}
