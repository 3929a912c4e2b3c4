import { badFile, ExitError } from '../../base/exit.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { type GenesisFile, parseGenesisFile } from '../../chain/genesis/genesisFile.ts'
import type { LoadedConfig } from '../../config/load.ts'

type Configured = Pick<LoadedConfig, 'config' | 'given'>

/** Reads the genesis of a start; undefined for a dev chain. Throws an ExitError that says what to do if it cannot be used. */
export const readConfiguredGenesis = ({
  config: { genesis: path },
  given,
}: Configured): (GenesisFile & { readonly genesis: Genesis }) | undefined => {
  if (path === undefined) return undefined
  try {
    return parseGenesisFile(path)
  } catch (error) {
    // The file that somebody named is theirs; that of the home is a copy, and others have it too.
    if (given.has('genesis') || !(error instanceof ExitError)) throw error
    throw badFile(`${error.message}: copy the file again from a node of the network, or from a backup`)
  }
}
