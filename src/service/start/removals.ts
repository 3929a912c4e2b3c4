import { findRemoved, readKeptHistory, retainedStates } from '../../app/keptHistory.ts'
import { badConfig } from '../../base/exit.ts'
import { removalFlag } from '../../config/removalFlag.ts'
import type { Config } from '../../config/settings/settings.ts'
import { findReductions } from './retention.ts'

/**
 * Returns what a start with these settings would remove from the history of the home, in words. Nothing counts that the start
 * before removed too: whoever began to prune agreed to it once, and a restart goes on.
 */
export const findRemovals = async (config: Config): Promise<readonly string[]> => {
  if (config.ephemeral) return []
  const reduced = findReductions(config)
  const history = reduced.states || reduced.bodies ? await readKeptHistory(config.home) : undefined
  if (history === undefined) return []
  const { head, oldestState, oldestBody } = history
  const states = findRemoved({ oldest: oldestState, head, retained: retainedStates(config.pruning) })
  const bodies = findRemoved({ oldest: oldestBody, head, retained: config.minRetainBlocks })
  return [
    ...(reduced.states && states !== undefined
      ? [`pruning = ${config.pruning} removes the states of blocks ${states.from} to ${states.to}`]
      : []),
    ...(reduced.bodies && bodies !== undefined
      ? [
          `min-retain-blocks = ${config.minRetainBlocks} removes the bodies of blocks ${bodies.from} to ${bodies.to}`,
        ]
      : []),
  ]
}

/** Throws an ExitError if a start with these settings would remove history that nobody agreed to remove. */
export const assertHistoryKept = async (config: Config): Promise<void> => {
  const removals = await findRemovals(config)
  if (removals.length > 0)
    throw badConfig(
      `${removals.join(', ')} of the home ${config.home}: to keep them, keep the setting as it was; to remove them, start once with ${removalFlag}`,
    )
}
