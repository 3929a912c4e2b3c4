import { type Header, headerHash } from '../chain/block/header.ts'
import { blobGasPrice, type ChainConfig } from '../chain/config/chainConfig.ts'
import type { RecoveredTransaction } from '../chain/transaction/types.ts'
import type { Evm } from '../evm/evm.ts'
import type { PreparedState, StateStore } from '../state/store.ts'
import type { ExecutedBlock } from '../store/blockRows.ts'
import type { BlockStore } from '../store/blockStore.ts'
import type { BlockInputs } from './blockInputs.ts'
import { type BlockOutcome, executeBlock } from './executeBlock.ts'

/** The stores and the EVM that execute a block. */
export interface BlockExecutionDependencies {
  readonly state: StateStore
  readonly blocks: BlockStore
  readonly evm: Evm
}

export interface NextBlock {
  readonly outcome: BlockOutcome
  readonly block: ExecutedBlock
  readonly state: PreparedState
}

/** Executes the block after the head of the store and prepares its state. Nothing is written. */
export const executeNextBlock = (
  { state, blocks, evm }: BlockExecutionDependencies,
  config: ChainConfig,
  inputs: BlockInputs,
  candidates: readonly RecoveredTransaction[],
): NextBlock => {
  const number = Number(inputs.parent.number) + 1
  const environment = {
    evm,
    config,
    state: state.reader(number - 1),
    blockHash: (height: bigint) => blocks.blockHashAt(Number(height)) ?? new Uint8Array(32),
    stateRoot: (changes: BlockOutcome['changes']) => state.prepare(number, changes).root,
  }
  const outcome = executeBlock(environment, inputs, candidates)
  const prepared = state.prepare(number, outcome.changes)
  const header: Header = { ...outcome.header, stateRoot: prepared.root }
  const block: ExecutedBlock = {
    header,
    hash: headerHash(header),
    transactions: outcome.transactions,
    ommers: inputs.ommers,
    withdrawals: header.withdrawalsRoot && inputs.withdrawals,
    blobGasPrice: blobGasPrice(config, header),
  }
  return { outcome, block, state: prepared }
}
