import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { Evm } from '../../evm/evm.ts'
import type { StateStore } from '../../state/stateStore.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'

/** What tasks are run on. */
export interface RunnerDependencies {
  readonly config: ChainConfig
  readonly state: StateStore
  readonly blocks: BlockStoreReader
  readonly evm: Evm
}
