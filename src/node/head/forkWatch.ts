import type { Logger } from '../../base/logging/log.ts'
import { version } from '../../base/version.ts'
import {
  describeInapplicableFork,
  describeUnknownFork,
  type LiveChainConfig,
} from '../../chain/config/liveConfig.ts'

export interface ForkWatchDependencies {
  readonly config: Pick<LiveChainConfig, 'activations' | 'unknownForks' | 'inapplicableForks'>
  /** Returns what is wrong with the forks that are ahead. */
  readonly findWarnings: () => Promise<readonly string[]>
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  readonly log: Logger
}

/** The pause between two warnings of the same. */
const repeatMs = 60 * 60_000

/**
 * Tells the operator which forks are scheduled, reverted and begin, and warns of those that this version or this chain
 * is not ready for. Of forks that were past when their blocks were replayed it tells nothing.
 */
export class ForkWatch {
  readonly #dependencies: ForkWatchDependencies
  #warnedAt = Number.NEGATIVE_INFINITY
  #hasWarned = false
  /** The times of the forks ahead that were reported to the operator, by name. */
  readonly #announced = new Map<string, bigint>()

  constructor(dependencies: ForkWatchDependencies) {
    this.#dependencies = dependencies
  }

  /** To be called at the start and when the schedule has changed; `time` is that of the head, in seconds. */
  onSchedule(time: bigint): void {
    this.#announceActive(time)
    this.#announceChanges()
    this.#warnedAt = Number.NEGATIVE_INFINITY
    this.onHead(time)
  }

  /** To be called with each head and its time; warns from time to time as long as there is a reason. */
  onHead(time: bigint): void {
    this.#announceActive(time)
    const { config, now } = this.#dependencies
    if (now() - this.#warnedAt < repeatMs) return
    this.#warnedAt = now()
    const { log, findWarnings } = this.#dependencies
    for (const fork of config.unknownForks) log.warn(fieldsOf(fork), describeUnknownFork(fork, version))
    for (const fork of config.inapplicableForks)
      if (!this.#hasWarned || fork.time > this.#seconds())
        log.warn(fieldsOf(fork), describeInapplicableFork(fork, this.#seconds()))
    this.#hasWarned = true
    findWarnings().then(
      (warnings) => {
        for (const warning of warnings) log.warn(warning)
      },
      (error: unknown) => log.debug({ err: error }, 'the forks ahead could not be checked'),
    )
  }

  #announceActive(time: bigint): void {
    const { config, log } = this.#dependencies
    for (const [name, at] of this.#announced) {
      if (at > time) continue
      this.#announced.delete(name)
      if (config.activations.some((fork) => fork.name === name && fork.at <= time))
        log.info(fieldsOf({ name, time: at }), 'the rules of a fork are in force')
    }
  }

  #announceChanges(): void {
    const { log } = this.#dependencies
    const scheduled = this.#scheduled()
    for (const [name, time] of this.#announced)
      if (!scheduled.has(name)) {
        this.#announced.delete(name)
        log.info(fieldsOf({ name, time }), 'a fork is cancelled')
      }
    for (const [name, time] of scheduled)
      if (time > this.#seconds() && this.#announced.get(name) !== time) {
        this.#announced.set(name, time)
        log.info(fieldsOf({ name, time }), 'a fork is scheduled')
      }
  }

  /** Returns the times of all forks of the schedule, whether or not they can be applied. */
  #scheduled(): ReadonlyMap<string, bigint> {
    const { activations, unknownForks, inapplicableForks } = this.#dependencies.config
    return new Map([
      ...activations.flatMap(({ name, by, at }) => (by === 'time' ? [[name, at] as const] : [])),
      ...[...inapplicableForks, ...unknownForks].map(({ name, time }) => [name, time] as const),
    ])
  }

  #seconds(): bigint {
    return BigInt(Math.floor(this.#dependencies.now() / 1000))
  }
}

const fieldsOf = ({ name, time }: { readonly name: string; readonly time: bigint }) => ({
  fork: name,
  forkTime: Number(time),
})
