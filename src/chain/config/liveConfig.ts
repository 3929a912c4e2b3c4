import {
  type ChainConfig,
  isTimedFork,
  parseChainConfig,
  type ScheduledFork,
  type UnknownFork,
} from './chainConfig.ts'
import { GenesisError, type JsonObject } from './gethJson.ts'

/**
 * The configuration of a living chain. Its activations follow the schedule that the chain itself holds; its `source`
 * stays what the chain began with.
 */
export interface LiveChainConfig extends ChainConfig {
  /** The scheduled forks that this version of the program cannot execute, in the order of their times. */
  readonly unknownForks: readonly UnknownFork[]
  /**
   * Follows the schedule of a state; undefined leaves the configuration alone. Returns whether anything changed. Only
   * forks ahead of that state can differ from before, so the rules of every block that exists stay the same.
   */
  follow(schedule: readonly ScheduledFork[] | undefined): boolean
}

/** The error for a block that needs rules which this version does not have. */
export class UnknownForkError extends Error {
  override readonly name = 'UnknownForkError'
}

export const createLiveConfig = (base: ChainConfig): LiveChainConfig => {
  let followed = ''
  let current = { activations: base.activations, unknownForks: [] as readonly UnknownFork[] }
  return {
    chainId: base.chainId,
    terminalTotalDifficulty: base.terminalTotalDifficulty,
    daoFork: base.daoFork,
    depositContract: base.depositContract,
    source: base.source,
    get activations() {
      return current.activations
    },
    get unknownForks() {
      return current.unknownForks
    },
    follow: (schedule) => {
      if (schedule === undefined) return false
      const text = schedule.map(({ name, time, version }) => `${name} ${time} ${version}`).join(',')
      if (text === followed) return false
      followed = text
      current = applySchedule(base, schedule)
      return true
    },
  }
}

/** Returns the activations of the longest part of the schedule that this version can execute, and the rest. */
const applySchedule = (base: ChainConfig, schedule: readonly ScheduledFork[]) => {
  let problem: string | undefined
  for (let count = schedule.length; ; count--) {
    const parsed = parseSchedule(base, schedule.slice(0, count))
    if (parsed.config !== undefined)
      return {
        activations: parsed.config.activations,
        unknownForks: toUnknownForks(schedule.slice(count), problem),
      }
    problem = parsed.problem
    if (count === 0) return { activations: base.activations, unknownForks: toUnknownForks(schedule, problem) }
  }
}

/** Adds the problem to the first fork that cannot be applied; those after it wait for it. */
const toUnknownForks = (
  [first, ...others]: readonly ScheduledFork[],
  problem: string | undefined,
): readonly UnknownFork[] => {
  if (first === undefined) return []
  const ofOthers = problem && `${first.name} before it cannot be applied`
  return [
    { ...first, problem },
    ...others.map((fork) => ({ ...fork, problem: isTimedFork(fork.name) ? ofOthers : undefined })),
  ]
}

/** Returns the configuration with this schedule, or why there is none; no reason if a name is not known. */
const parseSchedule = (
  base: ChainConfig,
  schedule: readonly ScheduledFork[],
): { readonly config?: ChainConfig; readonly problem?: string } => {
  if (!schedule.every(({ name }) => isTimedFork(name))) return {}
  try {
    return { config: parseChainConfig(withTimes(base.source, schedule)) }
  } catch (error) {
    if (error instanceof GenesisError) return { problem: error.message }
    throw error
  }
}

const withTimes = (source: JsonObject, schedule: readonly { name: string; time: bigint }[]): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(source).filter(([member]) => !isTimedFork(member.replace(/Time$/, ''))),
  ),
  ...Object.fromEntries(schedule.map(({ name, time }) => [`${name}Time`, toJsonTime(time)])),
})

const toJsonTime = (time: bigint): number | string =>
  time <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(time) : time.toString()

/** Returns the configuration as a file would have it, with the forks at the times of now. */
export const currentSource = ({ source, activations }: ChainConfig): JsonObject =>
  withTimes(
    source,
    activations.filter(({ by }) => by === 'time').map(({ name, at }) => ({ name, time: at })),
  )

/** Describes a fork that this version cannot execute, and what to do about it, for operators. */
export const describeUnknownFork = (
  { name, time, version, problem }: UnknownFork,
  installed: string,
): string => {
  const fork = `the fork ${name}, at time ${time},`
  if (problem !== undefined) return `${fork} cannot be applied: ${problem}: cancel it before that time`
  const wanted = version === '' ? 'one that knows it' : `version ${version} or later`
  return `${fork} is not known to version ${installed}: install ${wanted}`
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
