import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the path of the file that says what the chain of a home is. */
export const modePath = (home: string): string => join(home, 'mode.json')

/** Returns the path of the genesis that the home began with, for a chain that is not a dev chain. */
export const homeGenesisPath = (home: string): string => join(home, 'config', 'genesis.json')

/**
 * Returns the path of the data file of a home. State, blocks and indexes are in one file, so that a block is one
 * transaction.
 */
export const dataFile = (home: string): string => join(home, 'data', 'chain.mdb')

/**
 * Returns whether a home has a chain. Nothing is loaded for it: a file beside the chain's says that nothing was committed yet,
 * as after a start that was rejected (BeginningMark).
 */
export const hasChainFile = (home: string): boolean => {
  const path = dataFile(home)
  return existsSync(path) && !existsSync(`${path}.new`)
}

/** Returns the path of what the last start said of the history to keep. It is removed with the chain. */
export const retentionPath = (home: string): string => join(home, 'data', 'retention.json')

/** Returns the path of the settings with which the process that holds the lock of a home runs. */
export const runningSettingsPath = (home: string): string => join(home, 'running.json')

/** Returns the path of what a gateway knows of the chain behind it. */
export const chainInfoPath = (home: string): string => join(home, 'data', 'chain-info.json')

/** Returns whether a gateway has followed a chain in a home: its blocks are there without their states. */
export const isGatewayHome = (home: string): boolean => existsSync(chainInfoPath(home))

/** Returns how the gateway of a home is started. */
export const gatewayCommand = (home: string): string => `perihelion gateway --home ${home} --node URL`

/** Returns whether CometBFT was prepared in a home: it has the key of a validator, or blocks. */
export const hasCometFiles = (home: string): boolean =>
  [
    ['config', 'priv_validator_key.json'],
    ['data', 'blockstore.db'],
    ['data', 'state.db'],
  ].some((names) => existsSync(join(home, 'engine', ...names)))
