import { existsSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram } from '../../../test/support/programs/findProgram.ts'

/** How a peer that is here is run. */
export interface Located {
  readonly file: string
  /** What comes before the arguments: the script that a runtime is given. */
  readonly args: readonly string[]
  /** The folder whose packages it finds, for a peer that needs one around its working directory. */
  readonly folder?: string
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Peers that the bench installs, outside git. */
export const cacheFolder = join(root, '.cache', 'peers')

/** Names of npm for this machine, as the binary packages of Foundry have them. */
const machine = `${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`
export const anvilPackage = `@foundry-rs/anvil-${machine}`

const inFolder: Readonly<Record<string, (folder: string) => string>> = {
  anvil: (folder) => join(folder, 'node_modules', anvilPackage, 'bin', 'anvil'),
  geth: (folder) => join(folder, 'bin', 'geth'),
  hardhat: (folder) => join(folder, 'node_modules/hardhat/internal/cli/bootstrap.js'),
  ganache: (folder) => join(folder, 'node_modules/ganache/dist/node/cli.js'),
  ponder: (folder) => join(folder, 'node_modules/ponder/dist/esm/bin/ponder.js'),
}

/**
 * Returns a peer: the program that a variable names (ANVIL, GETH, EVMD, PONDER), one in the folder BENCH_PEERS, on the path or in
 * the cache, whichever is first. Undefined if there is none.
 */
export const locatePeer = (name: string): Located | undefined => {
  const named = process.env[name.toUpperCase()]
  if (named !== undefined && existsSync(named)) return { file: named, args: [] }
  const findIn = (folder: string | undefined): Located | undefined => {
    const file = folder === undefined ? undefined : inFolder[name]?.(folder)
    if (file === undefined || folder === undefined || !existsSync(file)) return undefined
    return file.endsWith('.js') ? { file: process.execPath, args: [file], folder } : { file, args: [] }
  }
  const onPath = inFolder[name] === inFolder.hardhat ? undefined : findProgram(name)
  const { BENCH_PEERS: peers } = process.env
  return (
    findIn(peers) ??
    // Packages that do not go together have folders of their own.
    findIn(peers === undefined ? undefined : join(peers, `${name}2`)) ??
    (onPath === undefined ? undefined : { file: onPath, args: [] }) ??
    findIn(cacheFolder)
  )
}
