import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { toHex } from '../base/encoding/hex.ts'
import { writeFileAtomicallySync } from '../base/files/atomicFile.ts'
import { readTextFile } from '../base/files/readFile.ts'
import { errorCode } from '../base/files/writeAll.ts'
import { GenesisConflictError } from '../chain/genesis/conflicts.ts'
import { maxGenesisBytes } from '../chain/genesis/genesisFile.ts'
import { homeGenesisPath, modePath } from '../home/layout.ts'
import { equalModes, type HomeMode, writeHomeMode } from '../home/mode.ts'

/** What is written about a home before its first block is, or before the next one is made. */
export interface HomeRecord {
  readonly home: string
  /** The engine that makes blocks now; undefined if none does. */
  readonly engine: string | undefined
  /** Whether anything is written: an import makes blocks without an engine, a node that only serves them does not. */
  readonly isWritten: boolean
  /** Whether the chain begins with the dev genesis. */
  readonly dev: boolean
  /** What the home's file says now; undefined if it has none. */
  readonly known: HomeMode | undefined
}

export interface RecordedChain {
  readonly chainId: bigint
  /** Undefined for a chain that is forked from a remote one. */
  readonly genesisHash: Uint8Array | undefined
  /** The genesis file that the operator gave; undefined if it is the home's own, or there is none. */
  readonly file?: { readonly text: string; readonly path?: string | undefined } | undefined
}

/**
 * Records what chain a home has. It comes before the first commit, so that a home with blocks always says what it is. Throws
 * a GenesisConflictError, before anything is written, if the home was made for another genesis.
 */
export const recordHome = (
  { home, engine, isWritten, dev, known }: HomeRecord,
  chain: RecordedChain,
): void => {
  const { chainId, genesisHash, file } = chain
  const hash = genesisHash && toHex(genesisHash)
  const conflict = dev ? undefined : findGenesisConflict(known, hash, file?.path)
  if (conflict !== undefined) throw new GenesisConflictError(conflict)
  if (!isWritten) return
  const maker = engine ?? known?.engine
  const mode: HomeMode = {
    ...(maker === undefined ? {} : { engine: maker }),
    dev,
    // Dev methods begin a dev chain again.
    ...(dev ? {} : { chainId, ...(hash === undefined ? {} : { genesisHash: hash }), begun: true }),
  }
  // Before the mode, so that a home that names a genesis has it.
  if (!dev && file !== undefined) keepGenesis(home, file.text)
  if (known === undefined || !equalModes(known, mode)) writeHomeMode(home, mode)
}

/** Throws a GenesisConflictError if a chain would begin as a dev chain in a home that is not for one, or the other way round. */
export const assertSameKind = ({ home, dev }: HomeRecord, isDev: boolean): void => {
  if (dev !== isDev)
    throw new GenesisConflictError(
      `this home is ${dev ? '' : 'not '}for the dev chain, and this would begin ${isDev ? 'one' : 'another'}: use another --home, ` +
        `or remove ${modePath(home)} if that is wrong`,
    )
}

/** Returns why a chain that begins with this block is not the one that the home was made for; undefined if it is. */
export const findGenesisConflict = (
  known: HomeMode | undefined,
  hash: string | undefined,
  path: string | undefined,
): string | undefined =>
  known?.dev === false && known.genesisHash !== undefined && known.genesisHash !== hash
    ? describeConflict(known.genesisHash, hash, path)
    : undefined

const describeConflict = (known: string, hash: string | undefined, path: string | undefined): string =>
  path === undefined
    ? `the chain of this home began with block ${hash}, but its mode.json says ${known}: the data or the file is that of another home`
    : `genesis: got ${path} with block ${hash}, but this home is for the genesis with block ${known}: give that file, use another --home, or make room for another genesis with "perihelion reset"`

/** Keeps the genesis in the home, for the starts that do not name it. */
export const keepGenesis = (home: string, text: string): void => {
  const path = homeGenesisPath(home)
  if (readIfThere(path) === text) return
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileAtomicallySync(path, text, 0o600)
  } catch (error) {
    // Orchestrators mount this folder without the right to write, and name the genesis at each start.
    if (!['EROFS', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error
  }
}

const readIfThere = (path: string): string | undefined => {
  try {
    return readTextFile(path, maxGenesisBytes)
  } catch {
    return undefined
  }
}
