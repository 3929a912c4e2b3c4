import { findRemoved, type RetainedHistory } from '../../app/keptHistory.ts'
import type { Logger } from '../../base/logging/log.ts'

export interface AnnouncedHistory extends RetainedHistory {
  /** What goes, such as `states`, and the setting that says so. */
  readonly what: string
  readonly setting: string
}

/** Says in the log that a setting keeps less history than the home has, before any of it is removed. */
export const announcePruning = (
  { what, setting, ...history }: AnnouncedHistory,
  log: Pick<Logger, 'warn'>,
): void => {
  const removed = findRemoved(history)
  if (removed === undefined) return
  const { from, to } = removed
  log.warn(
    removed,
    `${setting} removes the ${what} of blocks ${from} to ${to} of this home while the node runs. To keep them, stop the node now and copy data/`,
  )
}
