import { Application } from '../../app/application.ts'
import { genesisHashOf } from '../../app/genesisHash.ts'
import { ChainImporter } from '../../app/import/block.ts'
import { equalBytes } from '../../base/bytes.ts'
import { badFile, badUsage } from '../../base/exit.ts'
import { toHex } from '../../base/hex.ts'
import { LmdbEnvironment } from '../../base/lmdb.ts'
import { headerHash } from '../../chain/block/header.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import { type Genesis, parseGenesis } from '../../chain/genesis/genesis.ts'
import { createMachine } from '../../evm/machine.ts'
import { loadModules } from '../../evm/modules.ts'
import { precompilesAt } from '../../evm/precompiles/table.ts'
import type { PruningMode } from '../../state/prune.ts'
import { StateStore } from '../../state/store.ts'
import type { BlockReader } from '../../store/blockReader.ts'
import { BlockStore } from '../../store/blockStore.ts'

export interface OpenImport {
  readonly importer: ChainImporter
  readonly blocks: BlockReader
  close(): Promise<void>
}

/** Opens the data of a home for an import that goes on from its head; an empty one begins with the genesis. */
export const openImport = async (
  path: string,
  { pruning, appearances }: { readonly pruning: PruningMode; readonly appearances: boolean },
  genesisText: string | undefined,
): Promise<OpenImport> => {
  const genesis = genesisText === undefined ? undefined : parseGenesis(genesisText)
  const environment = new LmdbEnvironment({ path })
  try {
    environment.clearStaleReaders()
    const state = new StateStore(environment, { pruning })
    const blocks = new BlockStore(environment, { appearances })
    const machine = createMachine(await loadModules(), precompilesAt)
    const parts = { environment, state, blocks, machine }
    const stored = blocks.meta.config()
    if (stored === undefined) {
      if (genesis === undefined) throw badUsage(noGenesis)
      await new Application(genesis.config, parts).initChain(genesis)
    } else if (genesis !== undefined) checkGenesis(blocks, genesis, path)
    const config = genesis?.config ?? parseChainConfig(JSON.parse(stored as string)) // there is one or the other
    return { importer: new ChainImporter(config, parts), blocks, close: () => environment.close() }
  } catch (error) {
    await environment.close()
    throw error
  }
}

const noGenesis = 'the home has no chain yet: --genesis names the file that it begins with'

/** The accounts are told apart by the state root, which has to be worked out over nothing. */
const checkGenesis = (blocks: BlockStore, genesis: Genesis, path: string): void => {
  const first = blocks.header(0)
  if (first === undefined) throw new Error('the chain has no first block')
  const hash = genesisHashOf(genesis)
  const own = headerHash(first)
  if (equalBytes(hash, own)) return
  throw badFile(`${path} has the chain of genesis ${toHex(own)}, not ${toHex(hash)}`)
}
