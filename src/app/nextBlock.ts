import { beginStage, endStage } from '../base/profiling/stages.ts'
import { type Header, headerHash } from '../chain/block/header.ts'
import { ChainError } from '../chain/chainError.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import { blobGasPrice } from '../chain/fees/blobGas.ts'
import type { StateChanges } from '../chain/state/evmState.ts'
import { mergeChanges } from '../chain/state/mergeChanges.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import type { Evm } from '../evm/evm.ts'
import type { PreparedState, StateStore } from '../state/stateStore.ts'
import type { ExecutedBlock } from '../store/blockRows.ts'
import type { BlockStore } from '../store/blockStore.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'
import type { BlockInputs } from './blockInputs.ts'
import { type BlockBudget, type BlockOutcome, executeBlock } from './executeBlock.ts'
import { systemCallKeys, transactionKeys } from './forkKeys.ts'

/** The stores and the EVM that execute a block. */
export interface BlockExecutionDependencies {
  readonly state: StateStore
  readonly blocks: BlockStore
  readonly evm: Evm
}

/** What executes a block that nobody will commit: nothing of it writes. */
export type PreviewDependencies = Omit<BlockExecutionDependencies, 'blocks'> & {
  readonly blocks: Pick<BlockStoreReader, 'blockHashAt'>
}

export interface NextBlock {
  readonly outcome: BlockOutcome
  readonly block: ExecutedBlock
  readonly state: PreparedState
}

/** A block that was executed but will not be committed. */
export interface PreviewedBlock {
  readonly block: ExecutedBlock
  readonly changes: StateChanges
}

/**
 * Executes the block after the head of the store and prepares its state. Nothing is written. With a budget it may throw
 * an `InterruptedError`.
 */
export const executeNextBlock = (
  dependencies: BlockExecutionDependencies,
  config: ChainConfig,
  inputs: BlockInputs,
  candidates: readonly RecoveredTransaction[],
  budget?: BlockBudget,
): NextBlock => {
  const { state } = dependencies
  const number = Number(inputs.parent.number) + 1
  prefetch(state, inputs, candidates)
  let begun = beginStage()
  const outcome = executeBlock(
    {
      ...toEnvironment(dependencies, config, number),
      stateRoot: (changes) => state.prepare(number, changes).root,
      budget,
    },
    inputs,
    candidates,
  )
  budget?.check()
  begun = endStage('execute', begun, candidates.length)
  const prepared = state.prepare(number, outcome.changes)
  endStage('root', begun, candidates.length)
  return { outcome, block: toExecutedBlock(config, inputs, outcome, prepared.root), state: prepared }
}

/**
 * Executes a block on top of any kept block, whatever has followed it. Throws an `InterruptedError` when the budget is
 * used up.
 */
export const previewBlock = (
  dependencies: PreviewDependencies,
  config: ChainConfig,
  inputs: BlockInputs,
  candidates: readonly RecoveredTransaction[],
  budget: BlockBudget,
): PreviewedBlock => {
  const parent = Number(inputs.parent.number)
  const { state } = dependencies
  prefetch(state, inputs, candidates)
  const stateRoot = (changes: StateChanges): Uint8Array =>
    state.rootAfter(parent, mergeChanges(state.edits(parent), changes))
  const environment = { ...toEnvironment(dependencies, config, parent + 1), stateRoot, budget }
  const outcome = executeBlock(environment, inputs, candidates)
  budget.check()
  const { changes } = outcome
  return { block: toExecutedBlock(config, inputs, outcome, stateRoot(changes)), changes }
}

/**
 * Has a forked chain read at once what the block reads in any case. What the remote does not tell is left to the
 * transaction that reads it.
 */
const prefetch = (
  state: StateStore,
  { parent, timestamp, beneficiary }: BlockInputs,
  candidates: readonly RecoveredTransaction[],
): void => {
  if (state.fork === undefined) return
  try {
    state
      .reader(Number(parent.number))
      .prefetch([
        ...systemCallKeys(parent.number + 1n, timestamp),
        { kind: 'account', address: beneficiary },
        ...transactionKeys(candidates),
      ])
  } catch (error) {
    if (!(error instanceof ChainError) || !error.isLasting) throw error
  }
}

const toEnvironment = ({ state, blocks, evm }: PreviewDependencies, config: ChainConfig, number: number) => ({
  evm,
  config,
  state: state.parentState(number - 1),
  blockHash: (height: bigint) =>
    blocks.blockHashAt(Number(height)) ?? state.fork?.blockHash(Number(height)) ?? new Uint8Array(32),
})

const toExecutedBlock = (
  config: ChainConfig,
  inputs: BlockInputs,
  outcome: BlockOutcome,
  stateRoot: Uint8Array,
): ExecutedBlock => {
  const header: Header = { ...outcome.header, stateRoot }
  return {
    header,
    hash: headerHash(header),
    transactions: outcome.transactions,
    ommers: inputs.ommers,
    withdrawals: header.withdrawalsRoot && inputs.withdrawals,
    blobGasPrice: blobGasPrice(config, header),
  }
}
