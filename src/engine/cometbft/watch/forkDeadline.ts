import { version } from '../../../base/version.ts'
import { describeUnknownFork, type LiveChainConfig } from '../../../chain/config/liveConfig.ts'
import type { EngineRpcClient } from '../rpcClient.ts'

interface DeadlineOptions {
  readonly pollMs: number
  /** How long after the time of the fork, and after the newest block, the node ends. */
  readonly graceMs: number
  /** The same for an engine that is catching up, which may have blocks from before the fork to come. */
  readonly catchUpMs: number
}

interface DeadlineDependencies {
  readonly config: Pick<LiveChainConfig, 'unknownForks'>
  /** Returns the number of the newest block. */
  readonly height: () => number
  readonly rpc: Pick<EngineRpcClient, 'status'>
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Called once, with the reason, when the node must stop. */
  readonly onPassed: (reason: string) => void
}

export const defaultDeadlineOptions: DeadlineOptions = {
  pollMs: 1_000,
  graceMs: 30_000,
  catchUpMs: 5 * 60_000,
}

/**
 * Ends a node at a fork that it does not know, if no call of its engine does. The first nodes that are asked about the
 * block end, the others may then be too few for a proposal, and would wait for one without a word.
 */
export class ForkDeadline {
  readonly #options: DeadlineOptions
  readonly #dependencies: DeadlineDependencies
  readonly #timer: NodeJS.Timeout
  #height = -1
  #movedAt = 0
  #hasPassed = false

  constructor(options: DeadlineOptions, dependencies: DeadlineDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#timer = setInterval(() => void this.poll(), options.pollMs)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Looks once. */
  async poll(): Promise<void> {
    const { config, height, now, onPassed } = this.#dependencies
    const { graceMs, catchUpMs } = this.#options
    if (this.#height !== height()) {
      this.#height = height()
      this.#movedAt = now()
    }
    const [fork] = config.unknownForks
    if (fork === undefined || this.#hasPassed) return
    const waitedMs = now() - Math.max(this.#movedAt, Number(fork.time) * 1000)
    if (waitedMs < graceMs || (waitedMs < catchUpMs && (await this.#isCatchingUp()))) return
    // The other polls may have got here while this one asked.
    if (this.#hasPassed || config.unknownForks[0] !== fork || this.#height !== height()) return
    this.#hasPassed = true
    onPassed(`this node stops here: ${describeUnknownFork(fork, version)}`)
  }

  async #isCatchingUp(): Promise<boolean> {
    try {
      return (await this.#dependencies.rpc.status()).isCatchingUp
    } catch {
      return true
    }
  }
}
