import { readChainStart } from '../../app/chainOrigin.ts'
import { genesisOfChain } from '../../app/genesisHash.ts'
import { findGenesisConflict as findHomeConflict } from '../../app/homeRecord.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { badConfig } from '../../base/exit.ts'
import { findGenesisConflict } from '../../chain/genesis/conflicts.ts'
import { parseGenesisFile } from '../../chain/genesis/genesisFile.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { hasChainFile } from '../../home/layout.ts'

/** Throws an ExitError for another genesis than the home is for, before anything is written. */
export const checkGivenGenesis = async ({
  config: { home, genesis: path },
  given,
  mode,
}: LoadedConfig): Promise<void> => {
  const where = given.get('genesis')
  if (path === undefined || where === undefined || mode?.genesisHash === undefined) return
  const { genesis } = parseGenesisFile(path)
  const { hash } = genesisOfChain(genesis, fromHex(mode.genesisHash))
  const conflict = findHomeConflict(mode, toHex(hash), path)
  if (conflict === undefined) return
  if (!hasChainFile(home)) throw badConfig(conflict)
  // What cannot be read is reported by opening it.
  const stored = await readChainStart(home).catch(() => undefined)
  const wanted = { config: genesis.config, genesisHash: hash }
  const [line] = stored === undefined ? [] : findGenesisConflict({ value: path, where }, stored, wanted)
  if (line !== undefined) throw badConfig(line)
}
