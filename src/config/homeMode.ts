import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomicallySync } from '../base/files/atomicFile.ts'
import { readTextFile } from '../base/files/readFile.ts'
import { ConfigError } from './configError.ts'
import { engineNames } from './gen/choiceNames.ts'

/**
 * What the chain of a home is, as its first start found it. It stays so: a validator's home that was started as a dev chain
 * would make blocks of its own, with accounts that everybody knows.
 */
export interface HomeMode {
  /** The engine that makes its blocks; undefined if none has yet. */
  readonly engine?: Exclude<(typeof engineNames)[number], 'none'>
  /** Whether it is a chain for development, whose accounts may be unlocked. */
  readonly dev?: boolean
}

/** The file goes with the chain: a home whose data is gone may begin anew. */
const modePath = (home: string): string => join(home, 'data', 'mode.json')
/** A mode is a few words. */
const maxModeBytes = 4096

/** Reads the mode of a home; that of a home without the file is what its engine's folder tells. */
export const readHomeMode = (home: string): HomeMode => {
  const path = modePath(home)
  if (!existsSync(path))
    return existsSync(join(home, 'engine', 'config', 'genesis.json'))
      ? { engine: 'cometbft', dev: false }
      : {}
  try {
    return parseMode(JSON.parse(readTextFile(path, maxModeBytes)))
  } catch (error) {
    throw new ConfigError([`${path} cannot be read: ${(error as Error).message}`])
  }
}

const parseMode = (value: unknown): HomeMode => {
  const { engine, dev } = (value ?? {}) as Readonly<Record<string, unknown>>
  const known = engineNames.find((name) => name === engine)
  if (known === 'none' || (engine !== undefined && known === undefined))
    throw new Error(`it names an engine that is not known: ${JSON.stringify(engine)?.slice(0, 50)}`)
  if (dev !== undefined && typeof dev !== 'boolean')
    throw new Error('its member dev is neither true nor false')
  return { ...(known === undefined ? {} : { engine: known }), ...(dev === undefined ? {} : { dev }) }
}

/** Remembers the mode of a home. What is known already stays as it is. */
export const recordHomeMode = (home: string, mode: HomeMode): void => {
  const known = readHomeMode(home)
  const merged = { ...mode, ...known }
  if (existsSync(modePath(home)) && merged.engine === known.engine && merged.dev === known.dev) return
  writeFileAtomicallySync(modePath(home), `${JSON.stringify(merged)}\n`, 0o600)
}
