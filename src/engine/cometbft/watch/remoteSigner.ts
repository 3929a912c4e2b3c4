import type { Logger } from '../../../base/logging/log.ts'

interface WatchOptions {
  /** Where CometBFT waits for the signer. */
  readonly address: string
  /** How long CometBFT must complain before the signer counts as away, in milliseconds. */
  readonly awayMs: number
  /** After how long without a complaint it counts as there, in milliseconds. */
  readonly quietMs: number
}

interface WatchDependencies {
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
  readonly log: Logger
}

/** CometBFT waits three seconds for a connection, complains, and waits again. A single complaint comes beside a signer that is there, too. */
export const defaultSignerOptions = { awayMs: 2_500, quietMs: 12_000 } as const

/** What CometBFT logs while nobody signs for it. */
export const signerComplaints: readonly string[] = [
  'SignerListener: Error accepting connection',
  'SignerListener: Ping timeout',
]

/**
 * Tells from CometBFT's log whether its remote signer is there. While it is away CometBFT answers as before, and its consensus
 * waits for a signature at each height: blocks come late here or not at all, though the network goes on.
 */
export class RemoteSignerWatch {
  readonly #options: WatchOptions
  readonly #dependencies: WatchDependencies
  /** When the complaints began that have not ended. */
  #since: number | undefined
  #isAway = false
  #quiet: NodeJS.Timeout | undefined

  constructor(options: WatchOptions, dependencies: WatchDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** Why nothing is signed; undefined if the signer is there. */
  get failure(): string | undefined {
    if (!this.#isAway) return undefined
    return (
      `the remote signer does not answer on ${this.#options.address}, or hangs up (its log says why): ` +
      'this node signs nothing, and its consensus waits for each signature'
    )
  }

  /** Takes the message of a line of CometBFT's log. */
  onMessage(message: string): void {
    if (!signerComplaints.includes(message)) return
    const { now, log } = this.#dependencies
    this.#since ??= now()
    if (!this.#isAway && now() - this.#since >= this.#options.awayMs) {
      this.#isAway = true
      log.error({ address: this.#options.address }, `${this.failure}`)
    }
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#onQuiet(), this.#options.quietMs)
    this.#quiet.unref()
  }

  close(): void {
    clearTimeout(this.#quiet)
  }

  #onQuiet(): void {
    const { now, log } = this.#dependencies
    const seconds = Math.round((now() - (this.#since ?? now()) - this.#options.quietMs) / 1000)
    this.#since = undefined
    if (!this.#isAway) return
    this.#isAway = false
    log.info({ address: this.#options.address, seconds }, 'the remote signer answers again')
  }
}
