import { removalFlag } from '../../config/removalFlag.ts'
import type { Config } from '../../config/settings/settings.ts'
import { takeSwitch } from '../flags/switches.ts'
import { canAsk, confirm } from '../output/confirm.ts'

/** Takes the flag that lets a start remove history out of its arguments. */
export const takeRemovalFlag = (
  args: readonly string[],
): { readonly flags: readonly string[]; readonly isGiven: boolean } => {
  const { rest, isGiven } = takeSwitch(args, removalFlag)
  return { flags: rest, isGiven }
}

/** Returns whether history may go that the settings do not keep: the flag says so, or whoever sits at the terminal. */
export const mayRemoveHistory = async (config: Config, isFlagGiven: boolean): Promise<boolean> => {
  if (isFlagGiven) return true
  if (!canAsk() || (await isInUse(config.home))) return false
  const { findRemovals } = await import('../../service/start/removals.ts')
  const removals = await findRemovals(config)
  return (
    removals.length > 0 && (await confirm(`${removals.join(', ')} of the home ${config.home}. Remove them?`))
  )
}

/** A start on a home in use is rejected for that, and a home that cannot be read too. */
const isInUse = async (home: string): Promise<boolean> => {
  const { homeHolder } = await import('../../base/lock/homeLock.ts')
  try {
    return homeHolder(home) !== undefined
  } catch {
    return true
  }
}

export const removalHelp = `
  ${removalFlag}    once, after pruning or min-retain-blocks was changed: remove the history that they do not keep
`
