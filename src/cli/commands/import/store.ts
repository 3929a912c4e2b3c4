import { Application } from '../../../app/application.ts'
import { genesisOfChain } from '../../../app/genesisHash.ts'
import { recordHome } from '../../../app/homeRecord.ts'
import { ChainImporter } from '../../../app/import/block.ts'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { badFile, badUsage } from '../../../base/exit.ts'
import { LmdbEnvironment } from '../../../base/lmdb/lmdb.ts'
import { headerHash } from '../../../chain/block/header.ts'
import { type ChainConfig, parseChainConfig } from '../../../chain/config/chainConfig.ts'
import { type Genesis, parseGenesis } from '../../../chain/genesis/genesis.ts'
import type { GenesisFile } from '../../../chain/genesis/genesisFile.ts'
import { createEvm } from '../../../evm/evm.ts'
import { loadEvmModules } from '../../../evm/host/evmModules.ts'
import { precompilesAt } from '../../../evm/precompiles/precompileTable.ts'
import { dataFile } from '../../../home/layout.ts'
import { readHomeMode } from '../../../home/mode.ts'
import type { PruningMode } from '../../../state/history/prune.ts'
import { StateStore } from '../../../state/stateStore.ts'
import { BlockStore } from '../../../store/blockStore.ts'
import type { BlockStoreReader } from '../../../store/blockStoreReader.ts'

export interface ImportSession {
  readonly importer: ChainImporter
  readonly blocks: BlockStoreReader
  close(): Promise<void>
}

interface HomeStoreOptions {
  readonly pruning: PruningMode
  readonly appearances: boolean
  readonly minFreeBytes?: number
}

/** The data of a home, open to be written. */
export interface HomeStore {
  readonly config: ChainConfig
  readonly dependencies: ConstructorParameters<typeof Application>[1] & {
    readonly blocks: BlockStore
  }
  close(): Promise<void>
}

/** Opens the data of a home for an import that continues after its head. */
export const openImport = async (
  home: string,
  options: HomeStoreOptions,
  genesisFile: GenesisFile | undefined,
): Promise<ImportSession> => {
  const { config, dependencies, close } = await openHomeStore(home, options, genesisFile)
  return { importer: new ChainImporter(config, dependencies), blocks: dependencies.blocks, close }
}

/** Opens the data of a home. An empty home starts with the genesis. */
export const openHomeStore = async (
  home: string,
  { pruning, appearances, minFreeBytes }: HomeStoreOptions,
  genesisFile: GenesisFile | undefined,
): Promise<HomeStore> => {
  const path = dataFile(home)
  const genesis = genesisFile && parseGenesis(genesisFile.text, genesisFile.path)
  const environment = new LmdbEnvironment({ path, ...(minFreeBytes === undefined ? {} : { minFreeBytes }) })
  try {
    environment.clearStaleReaders()
    const state = new StateStore(environment, { pruning })
    const blocks = new BlockStore(environment, { appearances })
    const evm = createEvm(await loadEvmModules(), precompilesAt)
    const dependencies = { environment, state, blocks, evm }
    const stored = blocks.meta.config()
    if (stored === undefined) {
      if (genesis === undefined) throw badUsage(noGenesis)
      const { chainId } = genesis.config
      // No engine has made a block of it, and it is not a dev chain: its accounts are not ours.
      const record = { home, engine: undefined, isWritten: true, dev: false, known: readHomeMode(home) }
      await new Application(genesis.config, dependencies).initChain(genesis, (genesisHash) =>
        recordHome(record, { chainId, genesisHash, file: genesisFile }),
      )
    } else if (genesis !== undefined) checkGenesis(blocks, genesis, path)
    const config = genesis?.config ?? parseChainConfig(JSON.parse(stored as string)) // there is one or the other
    return { config, dependencies, close: () => environment.close() }
  } catch (error) {
    await environment.close()
    throw error
  }
}

const noGenesis = 'the home has no chain yet: --genesis names the file that it begins with'

/** Checks the genesis of the home. The accounts are compared by the state root, which is computed in memory. */
const checkGenesis = (blocks: BlockStore, genesis: Genesis, path: string): void => {
  const first = blocks.header(0)
  if (first === undefined) throw new Error('the chain has no first block')
  const storedHash = headerHash(first)
  const { hash } = genesisOfChain(genesis, storedHash)
  if (equalBytes(hash, storedHash)) return
  throw badFile(`${path} has the chain of genesis ${toHex(storedHash)}, not ${toHex(hash)}`)
}
