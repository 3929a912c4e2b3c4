import { existsSync } from 'node:fs'
import { badFile } from '../base/exit.ts'
import { writeFileAtomicallySync } from '../base/files/atomicFile.ts'
import { readTextFile } from '../base/files/readFile.ts'
import { errorCode } from '../base/files/writeAll.ts'
import { engineNames } from './gen/engineNames.ts'
import { hasChainFile, hasCometFiles, homeGenesisPath, modePath } from './layout.ts'

/**
 * What the chain of a home is. It is decided once, and a start that says otherwise is rejected: a validator's home that came
 * up as a dev chain would make blocks of its own, with accounts whose keys are public.
 */
export interface HomeMode {
  /** The engine that makes its blocks; missing if none has yet. */
  readonly engine?: string
  /** Whether the chain begins with the dev genesis; missing if that is not decided yet. */
  readonly dev?: boolean
  /** The chain id of a genesis of its own. Dev methods may begin a dev chain again with another one. */
  readonly chainId?: bigint
  /** The hash of the first block of a genesis of its own, as 0x and hex. */
  readonly genesisHash?: string
  /** Whether a chain with a genesis of its own was begun: a home that was only made, or reset, has none yet. */
  readonly begun?: true
}

/** The version of the file. */
const modeVersion = 1

/** A mode whose engine is one of ours. */
export type KnownMode = HomeMode & { readonly engine?: Exclude<(typeof engineNames)[number], 'none'> }

/** A mode is a few words. */
const maxModeBytes = 4096

/** Reads the file with the mode of a home; undefined if there is none. Throws an ExitError if it cannot be used. */
export const readHomeMode = (home: string): KnownMode | undefined => {
  const path = modePath(home)
  try {
    return parseMode(readTextFile(path, maxModeBytes))
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
    // It is whole, and somebody else's.
    if (['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw badFile(notOurs(home, path))
    throw badFile(
      `${path} cannot be used: ${(error as Error).message}: restore it from a backup, or remove it, and the next start finds ` +
        'out from the chain what this home is',
    )
  }
}

/** What to tell a user who may not read what is in a home. */
const notOurs = (home: string, path: string): string =>
  `this user may not read ${path}: run it as the owner of the home ${home}, or choose another --home`

const parseMode = (text: string): KnownMode => {
  const { version, engine, dev, chainId, genesisHash, begun } = parseJson(text)
  if (version !== modeVersion)
    throw new Error(`it is of version ${shown(version)}, and this program reads ${modeVersion}`)
  const known = engineNames.find((name) => name === engine)
  if (known === 'none' || (engine !== undefined && known === undefined))
    throw new Error(`it names an engine that is not known: ${shown(engine)}`)
  if (dev !== undefined && typeof dev !== 'boolean')
    throw new Error('its member dev is neither true nor false')
  const id = parseMember(chainId, /^[1-9]\d{0,77}$/, 'chainId')
  const hash = parseMember(genesisHash, /^0x[0-9a-f]{64}$/, 'genesisHash')
  return {
    ...(known === undefined ? {} : { engine: known }),
    ...(dev === undefined ? {} : { dev }),
    ...(id === undefined ? {} : { chainId: BigInt(id) }),
    ...(hash === undefined ? {} : { genesisHash: hash }),
    ...(begun === true ? { begun } : {}),
  }
}

const parseJson = (text: string): Readonly<Record<string, unknown>> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it is not an object')
  return value as Readonly<Record<string, unknown>>
}

const parseMember = (value: unknown, pattern: RegExp, name: string): string | undefined => {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`its member ${name} is damaged`)
  return value
}

/**
 * Returns what a home without a file of its mode was prepared for: one with CometBFT's files is CometBFT's, and one with a
 * genesis is not for the dev chain, also if it was left before its mode was written. Undefined if nothing was prepared.
 */
export const preparedMode = (home: string): KnownMode | undefined => {
  const mode: KnownMode = {
    ...(hasCometFiles(home) ? { engine: 'cometbft' } : {}),
    ...(existsSync(homeGenesisPath(home)) ? { dev: false } : {}),
  }
  return Object.keys(mode).length === 0 ? undefined : mode
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'none').slice(0, 40)

/**
 * Returns the mode that a start must keep to; undefined if the home may still become anything. A dev chain that is not
 * there binds nobody: it is not begun yet, or was removed.
 */
export const bindingMode = (home: string, recorded: KnownMode | undefined): KnownMode | undefined => {
  if (recorded === undefined) return preparedMode(home)
  if (recorded.dev !== true || hasChainFile(home)) return recorded
  return recorded.engine === 'cometbft' ? { engine: 'cometbft' } : undefined
}

/** Returns the text of the file. */
const renderMode = ({ engine, dev, chainId, genesisHash, begun }: HomeMode): string => {
  const members = { version: modeVersion, engine, dev, chainId: chainId?.toString(), genesisHash, begun }
  return `${JSON.stringify(members, undefined, 2)}\n`
}

/** Returns whether two modes are the same. */
export const equalModes = (one: HomeMode, other: HomeMode): boolean => renderMode(one) === renderMode(other)

/** Writes the mode of a home. */
export const writeHomeMode = (home: string, mode: HomeMode): void =>
  writeFileAtomicallySync(modePath(home), renderMode(mode), 0o600)
