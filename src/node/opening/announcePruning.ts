import type { Logger } from '../../base/logging/log.ts'

/** A store that is this far behind what it should keep was just pruned: steps are made together. */
const usualBacklog = 256

export interface KeptHistory {
  /** What goes, such as `states`, and the setting that says so. */
  readonly what: string
  readonly setting: string
  /** The oldest height that is there; undefined if there is none. */
  readonly oldest: number | undefined
  readonly head: number
  /** How many of the newest are kept; undefined if all are. */
  readonly retained: number | undefined
}

/** Says in the log that a setting keeps less history than the home has, before any of it is removed. */
export const announcePruning = (
  { what, setting, oldest, head, retained }: KeptHistory,
  log: Pick<Logger, 'warn'>,
): void => {
  if (oldest === undefined || retained === undefined) return
  const keptFrom = head - retained + 1
  if (keptFrom - oldest <= usualBacklog) return
  log.warn(
    { from: oldest, to: keptFrom - 1 },
    `${setting} removes the ${what} of blocks ${oldest} to ${keptFrom - 1} of this home while the node runs. To keep them, stop the node now and copy data/`,
  )
}
