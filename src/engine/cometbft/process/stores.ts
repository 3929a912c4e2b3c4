import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { badFile } from '../../../base/exit.ts'
import { configPath } from './home.ts'
import { readEngineConfig } from './readConfig.ts'

/** CometBFT's blocks, and its state behind them. */
const databases = ['blockstore.db', 'state.db']
/** The files of a LevelDB with entries. A new database has an empty log. */
const hasEntries = /\.(?:log|ldb|sst)$/

/** Throws an ExitError if the chain of a home has blocks and CometBFT has none, which it does not take. */
export const assertStoresKept = async (
  folder: string,
  /** Returns the height of the home. */
  findHeight: () => Promise<number>,
): Promise<void> => {
  const hasConfig = existsSync(configPath({ folder }))
  const at = hasConfig ? readEngineConfig(folder).databaseFolder : join(folder, 'data')
  // What another database leaves in its folder is not known.
  if (at === undefined) return
  const lost = databases.filter((name) => isEmpty(join(at, name)))
  const height = lost.length === 0 ? 0 : await findHeight()
  if (height === 0) return
  throw badFile(
    `this home is at block ${height}, and the blocks of CometBFT are gone (${lost.join(', ')} in ${at}): restore them, but no older ` +
      'priv_validator_state.json; or begin again with `perihelion reset`, after which all blocks come from the peers, or a snapshot by state sync. ' +
      'A chain without other nodes cannot be had back without them',
  )
}

const isEmpty = (database: string): boolean => {
  try {
    return !readdirSync(database).some(
      (name) => hasEntries.test(name) && statSync(join(database, name)).size > 0,
    )
  } catch {
    return true
  }
}
