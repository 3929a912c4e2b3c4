import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { badConfig } from '../../base/exit.ts'
import { lockHome } from '../../base/lock/homeLock.ts'
import { configPath, replaceValidatorKey } from '../../engine/cometbft/process/home.ts'
import { readEngineConfig } from '../../engine/cometbft/process/readConfig.ts'
import { describeEngineHome, type EngineIdentity, isCometHome } from './networkId.ts'

export interface NewKey {
  readonly identity: EngineIdentity
  /** Where the old key is kept; undefined if there was none. */
  readonly keptAt: string | undefined
}

/** Makes another validator key for a home that no node uses. The record of signatures stays: it holds for the new key too. */
export const makeNewKey = (home: string): NewKey => {
  if (!isCometHome(home))
    throw badConfig(
      `${home} is not a home of CometBFT: \`perihelion init --engine cometbft\` makes one with a key`,
    )
  const folder = join(home, 'engine')
  if (existsSync(configPath({ folder })) && readEngineConfig(folder).remoteSigner !== undefined)
    throw badConfig('priv-validator-laddr: a remote signer has the key of this node: change it there')
  const unlock = lockHome(home)
  try {
    const keptAt = replaceValidatorKey(folder)
    return { identity: describeEngineHome(home), keptAt }
  } finally {
    unlock()
  }
}
