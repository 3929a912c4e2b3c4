import { badFile } from '../../base/exit.ts'
import { readTextFile } from '../../base/files/readFile.ts'
import { GenesisError } from '../config/gethJson.ts'
import { type Genesis, parseGenesis } from './genesis.ts'

/** The largest genesis file that is read. That of Ethereum's main network has a megabyte. */
export const maxGenesisBytes = 256 * 2 ** 20

/** A genesis file as it stands, with its name for what is said about it. */
export interface GenesisFile {
  readonly text: string
  readonly path: string
}

/** Reads a genesis file that an operator names. Throws an ExitError if it cannot be read. */
export const readGenesisFile = (path: string): GenesisFile => {
  try {
    return { text: readTextFile(path, maxGenesisBytes), path }
  } catch (error) {
    throw badFile(`the genesis file cannot be read: ${(error as Error).message}`)
  }
}

/** Reads a genesis file and what it says. Throws an ExitError if it cannot be read or is not a genesis. */
export const parseGenesisFile = (path: string): GenesisFile & { readonly genesis: Genesis } => {
  const file = readGenesisFile(path)
  try {
    return { ...file, genesis: parseGenesis(file.text, path) }
  } catch (error) {
    throw error instanceof GenesisError ? badFile(error.message) : error
  }
}
