import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomicallySync } from './atomicFile.ts'

/**
 * What the chain of a home is. It is decided once, and a start that says otherwise is refused: a validator's home that came
 * up as a dev chain would make blocks of its own, with accounts whose keys everybody knows.
 */
export interface HomeMode {
  /** The engine that makes its blocks; missing if none has yet. */
  readonly engine?: string
  /** Whether the chain begins with the dev genesis; missing if that is not decided yet. */
  readonly dev?: boolean
  /** The chain id of a genesis of its own. Dev methods may begin a dev chain anew with another one. */
  readonly chainId?: bigint
  /** The hash of the first block of a genesis of its own, as 0x and hex. */
  readonly genesisHash?: string
}

/** The version of the file. */
export const modeVersion = 1

export const modePath = (home: string): string => join(home, 'mode.json')

/** Returns the path of the genesis that the home began with, for a chain that is no dev chain. */
export const homeGenesisPath = (home: string): string => join(home, 'config', 'genesis.json')

/**
 * Returns whether a home has a chain. Nothing is loaded for it: a file beside the chain's says that nothing was committed yet,
 * as after a start that was refused (BeginningMark).
 */
export const hasChainFile = (home: string): boolean => {
  const path = join(home, 'data', 'chain.mdb')
  return existsSync(path) && !existsSync(`${path}.new`)
}

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

/** Returns the text of the file. */
const renderMode = ({ engine, dev, chainId, genesisHash }: HomeMode): string => {
  const members = { version: modeVersion, engine, dev, chainId: chainId?.toString(), genesisHash }
  return `${JSON.stringify(members, undefined, 2)}\n`
}

/** Returns whether two modes are the same. */
export const equalModes = (one: HomeMode, other: HomeMode): boolean => renderMode(one) === renderMode(other)

/** Writes the mode of a home. */
export const writeHomeMode = (home: string, mode: HomeMode): void =>
  writeFileAtomicallySync(modePath(home), renderMode(mode), 0o600)
