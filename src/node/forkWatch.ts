import type { Logger } from '../base/log.ts'
import { version } from '../base/version.ts'
import { describeUnknownFork, type LiveChainConfig } from '../chain/config/liveConfig.ts'

export interface ForkWatchDependencies {
  readonly config: LiveChainConfig
  /** Returns what is wrong with the forks that are ahead. */
  readonly findWarnings: () => Promise<readonly string[]>
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  readonly log: Logger
}

/** The pause between two warnings of the same. */
const repeatMs = 60 * 60_000

/** Tells the operator which forks are scheduled, and warns of those that this version or this chain is not ready for. */
export class ForkWatch {
  readonly #dependencies: ForkWatchDependencies
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(dependencies: ForkWatchDependencies) {
    this.#dependencies = dependencies
  }

  /** To be called at the start and when the schedule has changed; `time` is that of the head, in seconds. */
  onSchedule(time: bigint): void {
    const { config, log } = this.#dependencies
    for (const { name, by, at } of config.activations)
      if (by === 'time' && at > time) log.info({ fork: name, forkTime: Number(at) }, 'a fork is scheduled')
    this.#warnedAt = Number.NEGATIVE_INFINITY
    this.onHead()
  }

  /** To be called with each head; warns from time to time as long as there is a reason. */
  onHead(): void {
    const { config, now } = this.#dependencies
    if (now() - this.#warnedAt < repeatMs) return
    this.#warnedAt = now()
    const { log, findWarnings } = this.#dependencies
    for (const fork of config.unknownForks)
      log.warn({ fork: fork.name, forkTime: Number(fork.time) }, describeUnknownFork(fork, version))
    findWarnings().then(
      (warnings) => {
        for (const warning of warnings) log.warn(warning)
      },
      (error: unknown) => log.debug({ err: error }, 'the forks ahead could not be checked'),
    )
  }
}
