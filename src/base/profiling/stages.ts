import { channel } from 'node:diagnostics_channel'

/**
 * Where the time of a transaction goes, from its bytes to its receipt. Nobody listens in a running node, and a stage costs
 * one look at a flag then; `bench blocks --stages` loads a listener into every thread before the program.
 */

/**
 * The stages of a transaction in their order; those of a block are shared by its transactions. `hand over` is the whole
 * way to the application's thread and back, `begin` the way to LMDB's writer, `sync` its commit.
 */
export const stageNames = [
  'decode',
  'recover',
  'admit',
  'journal',
  'wait for a block',
  'select',
  'hand over',
  'unpack',
  'execute',
  'root',
  'encode',
  'begin',
  'write',
  'sync',
  'tell',
] as const

export type StageName = (typeof stageNames)[number]

/** What a stage took of one or more transactions. */
export interface StageRecord {
  readonly stage: StageName
  /** Whether the thread worked all that time, or waited for another or for the disk. */
  readonly kind: 'work' | 'wait'
  readonly milliseconds: number
  readonly transactions: number
}

export const stageChannel = 'perihelion:stage'

const stages = channel(stageChannel)

const clock = (): number => Number(process.hrtime.bigint()) / 1e6

/** Returns whether anybody listens, for stages that need more than two times. */
export const hasStageListener = (): boolean => stages.hasSubscribers

/** Returns the time at which a stage begins, on a clock that all threads share; 0 if nobody listens. */
export const beginStage = (): number => (stages.hasSubscribers ? clock() : 0)

/** Tells what a stage took since its beginning, and returns the time at which the next one begins. */
export const endStage = (
  stage: StageName,
  begun: number,
  transactions: number,
  kind: StageRecord['kind'] = 'work',
): number => {
  if (!stages.hasSubscribers) return 0
  const now = clock()
  tellStage({ stage, kind, milliseconds: now - begun, transactions })
  return now
}

export const tellStage = (record: StageRecord): void => stages.publish(record)
