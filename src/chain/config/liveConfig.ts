import {
  type ChainConfig,
  type InapplicableFork,
  isTimedFork,
  parseChainConfig,
  requireOsakaBeforeBlobForks,
  type ScheduledFork,
} from './chainConfig.ts'
import { GenesisError, type JsonObject } from './gethJson.ts'

/**
 * The configuration of a living chain. Its activations follow the schedule that the chain itself holds; its `source`
 * stays what the chain began with.
 */
export interface LiveChainConfig extends Omit<ChainConfig, keyof AppliedSchedule>, AppliedSchedule {
  /**
   * Follows the schedule of a state; undefined leaves the configuration alone. Returns whether anything changed. Only
   * forks ahead of that state can differ from before, so the rules of every block that exists stay the same.
   */
  follow(schedule: readonly ScheduledFork[] | undefined): boolean
  /** Takes the configuration of another chain, when one for development is started over. */
  replace(base: ChainConfig): void
}

/** What a schedule means for a chain. */
interface AppliedSchedule extends Pick<ChainConfig, 'activations'> {
  readonly unknownForks: readonly ScheduledFork[]
  readonly inapplicableForks: readonly InapplicableFork[]
  readonly forkVersions: ReadonlyMap<string, string>
}

/** The error for a block that needs rules which this version does not have. */
export class UnknownForkError extends Error {
  override readonly name = 'UnknownForkError'
}

/** Returns what a configuration means before any schedule is followed. */
const withoutSchedule = ({ activations }: ChainConfig): AppliedSchedule => ({
  activations,
  unknownForks: [],
  inapplicableForks: [],
  forkVersions: new Map(),
})

export const createLiveConfig = (initial: ChainConfig): LiveChainConfig => {
  let base = initial
  /** What was followed last; an empty schedule is one too, and takes the place of the times of a file. */
  let followed: string | undefined
  const live: LiveChainConfig = {
    ...base,
    ...withoutSchedule(base),
    follow: (schedule) => {
      if (schedule === undefined) return false
      const text = schedule.map(({ name, time, version }) => `${name} ${time} ${version}`).join(',')
      if (text === followed) return false
      followed = text
      Object.assign(live, applySchedule(base, schedule))
      return true
    },
    replace: (next) => {
      base = next
      followed = undefined
      Object.assign(live, next, withoutSchedule(next))
    },
  }
  return live
}

/**
 * Applies the forks in the order of their times, up to the first that this version does not know. A fork that cannot be
 * applied where it stands (Osaka without Prague) has no effect until a later one makes it possible, and begins with that
 * one. So the rules of a block depend on nothing that is scheduled after it.
 */
const applySchedule = (base: ChainConfig, schedule: readonly ScheduledFork[]): AppliedSchedule => {
  const firstUnknown = schedule.findIndex(({ name }) => !isTimedFork(name))
  const known = firstUnknown < 0 ? schedule : schedule.slice(0, firstUnknown)
  const applied: ScheduledFork[] = []
  let waiting: readonly InapplicableFork[] = []
  let activations = parseSchedule(base, []).activations ?? base.activations
  const apply = (fork: ScheduledFork, time: bigint): string | undefined => {
    const result = parseSchedule(base, [...applied, { ...fork, time }])
    if (result.activations === undefined) return result.problem
    activations = result.activations
    applied.push({ ...fork, time })
    return undefined
  }
  /** Applies what the fork of this time made possible, each of which may make more possible. */
  const applyWaiting = (time: bigint): void => {
    let count: number
    do {
      count = waiting.length
      waiting = waiting.flatMap((fork) => {
        const problem = apply(fork, time)
        return problem === undefined ? [] : [{ ...fork, problem }]
      })
    } while (waiting.length < count)
  }
  for (const fork of known) {
    const problem = apply(fork, fork.time)
    if (problem === undefined) applyWaiting(fork.time)
    else waiting = [...waiting, { ...fork, problem }]
  }
  return {
    activations,
    unknownForks: schedule.slice(known.length),
    inapplicableForks: waiting,
    forkVersions: new Map(
      schedule.flatMap(({ name, version }) => (version === '' ? [] : [[name, version] as const])),
    ),
  }
}

/** Returns the activations with this schedule, or why there are none. */
const parseSchedule = (
  base: ChainConfig,
  schedule: readonly ScheduledFork[],
): Partial<Pick<ChainConfig, 'activations'>> & { readonly problem?: string } => {
  try {
    const config = parseChainConfig(withTimes(base.source, schedule))
    // A chain that began without, which older versions allowed, goes on so.
    const began = new Set(base.activations.map(({ name }) => name))
    requireOsakaBeforeBlobForks(config.activations.filter(({ name }) => !began.has(name) || name === 'osaka'))
    return { activations: config.activations }
  } catch (error) {
    if (error instanceof GenesisError) return { problem: error.message }
    throw error
  }
}

const withTimes = (source: JsonObject, schedule: readonly { name: string; time: bigint }[]): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(source).filter(([member]) => !isTimedFork(member.replace(/Time$/, ''))),
  ),
  ...Object.fromEntries(schedule.map(({ name, time }) => [`${name}Time`, toJsonInteger(time)])),
})

const toJsonInteger = (value: bigint): number | string =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString()

/** Returns the configuration with another chain id. */
export const withChainId = ({ source }: ChainConfig, chainId: bigint): ChainConfig =>
  parseChainConfig({ ...source, chainId: toJsonInteger(chainId) })

/** Returns the configuration as a file would have it, with the forks at the times of now. */
export const currentSource = ({ source, activations }: ChainConfig): JsonObject =>
  withTimes(
    source,
    activations.filter(({ by }) => by === 'time').map(({ name, at }) => ({ name, time: at })),
  )

/** Describes a fork that this version does not know, and what to do about it, for operators. */
export const describeUnknownFork = ({ name, time, version }: ScheduledFork, installed: string): string => {
  const wanted = version === '' ? 'one that knows it' : `version ${version} or later`
  return `the fork ${name}, at time ${time}, is not known to version ${installed}: install ${wanted}`
}

/** Describes a fork that cannot be applied to the chain, and what to do about it at a time, for operators. */
export const describeInapplicableFork = ({ name, time, problem }: InapplicableFork, now: bigint): string => {
  const remedy =
    time > now
      ? 'cancel it before that time; otherwise it has no effect as long as that is so'
      : 'it has no effect as long as that is so'
  return `the fork ${name}, at time ${time}, cannot be applied: ${problem}: ${remedy}`
}

/** Throws an UnknownForkError if a block of this time needs rules that this version does not have. */
export const requireKnownRules = (
  config: Pick<LiveChainConfig, 'unknownForks'>,
  time: bigint,
  installed: string,
): void => {
  const unknown = config.unknownForks.find((fork) => fork.time <= time)
  if (unknown !== undefined)
    throw new UnknownForkError(`this node stops here: ${describeUnknownFork(unknown, installed)}`)
}
