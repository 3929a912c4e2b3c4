import { toHex } from '../base/encoding/hex.ts'
import { ommersHash } from '../chain/block/block.ts'
import { blockRewards } from '../chain/block/blockRewards.ts'
import { mergeBlooms } from '../chain/block/bloom.ts'
import type { Header } from '../chain/block/header.ts'
import { createReceipt, type Receipt } from '../chain/block/receipt.ts'
import type { Log } from '../chain/block/receiptLog.ts'
import { requestsHash } from '../chain/block/requestsHash.ts'
import { withdrawalsRoot } from '../chain/block/withdrawal.ts'
import { ChainError } from '../chain/chainError.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import { type Fork, since } from '../chain/config/forks.ts'
import { gasPerBlob } from '../chain/fees/blobGas.ts'
import { daoForkChanges, withBalances } from '../chain/state/daoFork.ts'
import type { EvmStateReader, StateChanges } from '../chain/state/evmState.ts'
import { mergeChanges, noChanges } from '../chain/state/mergeChanges.ts'
import type { InvalidReason } from '../chain/transaction/invalidReason.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import { collectRequests, hasInvalidDeposit } from '../evm/block/collectRequests.ts'
import { applyPreBlockCalls } from '../evm/block/systemCalls.ts'
import type { Evm } from '../evm/evm.ts'
import { toTransactionFields } from '../evm/transaction/fields.ts'
import type { BlockContext, Execution, ExecutionLimits, TransactionResult } from '../evm/types.ts'
import { bodyRootsOf } from '../store/packing/rowRecords.ts'
import type { BlockInputs } from './blockInputs.ts'
import { type BlockRules, rulesOfNextBlock } from './blockRules.ts'

export interface IncludedTransaction extends RecoveredTransaction {
  readonly result: TransactionResult
  readonly receipt: Receipt
}

/** A transaction that cannot be included in the block. */
export interface RejectedTransaction {
  readonly candidate: RecoveredTransaction
  readonly reason: InvalidReason
}

/** An executed block; only its state root is not computed yet. */
export interface BlockOutcome {
  readonly fork: Fork
  readonly header: Omit<Header, 'stateRoot'>
  readonly transactions: readonly IncludedTransaction[]
  readonly rejected: readonly RejectedTransaction[]
  readonly changes: StateChanges
}

/** What ends the execution of a block that need not be finished, by throwing an `InterruptedError`. */
export interface BlockBudget {
  limits(): ExecutionLimits
  /** Throws if the execution is to end. */
  check(): void
  /** Called with the gas of each included transaction. */
  spend(gas: bigint): void
}

export interface BlockEnvironment {
  readonly evm: Evm
  readonly config: ChainConfig
  /** The state after the parent. */
  readonly state: EvmStateReader
  /** Returns the hash of one of the last 256 blocks. */
  readonly blockHash: (number: bigint) => Uint8Array
  /** Returns the state root after the changes, for the receipts of blocks before Byzantium. */
  readonly stateRoot: (changes: StateChanges) => Uint8Array
  /** Undefined for a block that must be executed to its end. It has no influence on the result. */
  readonly budget?: BlockBudget | undefined
}

/**
 * Executes the transactions in order over the parent's state and computes the header. The result depends only on the
 * arguments.
 *
 * A transaction that makes a deposit contract log what no deposit is would make the block invalid (EIP-6110), and a
 * block that was decided cannot be given up: such a transaction is reverted and not included.
 */
export const executeBlock = (
  environment: BlockEnvironment,
  inputs: BlockInputs,
  candidates: readonly RecoveredTransaction[],
): BlockOutcome => {
  const { evm, config } = environment
  const rules = rulesOfNextBlock(config, inputs.parent, inputs)
  const block = toBlockContext(inputs, rules, environment)
  const irregular = daoForkChanges(config, block.number, environment.state)
  const evmState = irregular ? withBalances(environment.state, irregular) : environment.state
  const execution = evm.createExecution({
    fork: rules.fork,
    chainId: config.chainId,
    chainLimits: config.limits,
    evmState,
    block,
    ...(environment.budget && { limits: environment.budget.limits() }),
  })
  let changes = irregular ?? noChanges
  const collectChanges = (): StateChanges => {
    changes = mergeChanges(changes, execution.drainChanges())
    return changes
  }
  applyPreBlockCalls(execution, rules.fork, {
    hash: inputs.parentHash,
    beaconRoot: inputs.parentBeaconBlockRoot,
  })
  const { transactions, rejected, gasUsed, blobGasUsed } = runTransactions(execution, rules, inputs, {
    candidates,
    budget: environment.budget,
    // EIP-658 replaced the state root in receipts by the status.
    rootAfter: since(rules.fork, 'byzantium') ? undefined : () => environment.stateRoot(collectChanges()),
    depositContract: since(rules.fork, 'prague') ? config.depositContract : undefined,
  })
  // A block of an engine has no difficulty, whatever its fork, and pays no reward.
  if (inputs.difficulty > 0n)
    for (const { address, amount } of blockRewards(
      rules.fork,
      { number: block.number, beneficiary: inputs.beneficiary },
      inputs.ommers,
    ))
      execution.credit(address, amount)
  if (since(rules.fork, 'shanghai')) execution.withdraw(inputs.withdrawals)
  const receipts = transactions.map(({ receipt }) => receipt)
  const requests = since(rules.fork, 'prague')
    ? collectRequests(
        execution,
        receipts.flatMap(({ logs }) => logs),
        config.depositContract,
      )
    : undefined
  return {
    fork: rules.fork,
    transactions,
    rejected,
    changes: collectChanges(),
    header: {
      parentHash: inputs.parentHash,
      ommersHash: ommersHash(inputs.ommers),
      beneficiary: inputs.beneficiary,
      ...bodyRootsOf(transactions),
      logsBloom: mergeBlooms(receipts.map(({ logsBloom }) => logsBloom)),
      difficulty: inputs.difficulty,
      number: block.number,
      gasLimit: inputs.gasLimit,
      gasUsed,
      timestamp: inputs.timestamp,
      extraData: inputs.extraData,
      mixHash: inputs.mixHash,
      nonce: inputs.nonce,
      baseFeePerGas: since(rules.fork, 'london') ? rules.baseFee : undefined,
      withdrawalsRoot: since(rules.fork, 'shanghai') ? withdrawalsRoot(inputs.withdrawals) : undefined,
      blobGasUsed: rules.blobs && blobGasUsed,
      excessBlobGas: rules.excessBlobGas,
      parentBeaconBlockRoot: rules.blobs && inputs.parentBeaconBlockRoot,
      requestsHash: requests && requestsHash(requests),
    },
  }
}

const toBlockContext = (
  inputs: BlockInputs,
  rules: BlockRules,
  { blockHash }: BlockEnvironment,
): BlockContext => ({
  number: inputs.parent.number + 1n,
  timestamp: inputs.timestamp,
  coinbase: inputs.beneficiary,
  gasLimit: inputs.gasLimit,
  difficulty: inputs.difficulty,
  prevRandao: since(rules.fork, 'paris') ? inputs.mixHash : undefined,
  baseFee: rules.baseFee,
  excessBlobGas: rules.excessBlobGas,
  blobParameters: rules.blobs,
  blockHash,
})

/** Names the transaction in an error about what it reads: a remote chain may not tell a value that it needs. */
const naming = <T>({ hash }: RecoveredTransaction, execute: () => T): T => {
  try {
    return execute()
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    const { kind, message, isLasting } = error
    throw new ChainError(kind, message, { isLasting, transaction: toHex(hash) })
  }
}

interface TransactionBatch {
  readonly candidates: readonly RecoveredTransaction[]
  /** Returns the state root after the last executed transaction; undefined if receipts do not contain it. */
  readonly rootAfter: (() => Uint8Array) | undefined
  readonly budget: BlockBudget | undefined
  /** The contract whose logs must be deposits; undefined if there is none, or before Prague. */
  readonly depositContract: Uint8Array | undefined
}

const runTransactions = (
  execution: Execution,
  { blobs }: BlockRules,
  { gasLimit }: BlockInputs,
  { candidates, rootAfter, budget, depositContract }: TransactionBatch,
) => {
  const transactions: IncludedTransaction[] = []
  const rejected: RejectedTransaction[] = []
  const maxBlobGas = BigInt(blobs?.max ?? 0) * gasPerBlob
  const findForbiddenLogs = (logs: readonly Log[]): InvalidReason | undefined =>
    depositContract !== undefined && hasInvalidDeposit(logs, depositContract)
      ? 'invalid deposit log'
      : undefined
  let gasUsed = 0n
  let blobGasUsed = 0n
  for (const candidate of candidates) {
    // The EVM's limits apply to one transaction, so the limits of all of them are checked in between.
    budget?.check()
    const { transaction, sender } = candidate
    const result = naming(candidate, () =>
      execution.transact(toTransactionFields(transaction), sender, {
        gasAvailable: gasLimit - gasUsed,
        blobGasAvailable: maxBlobGas - blobGasUsed,
        findForbiddenLogs,
      }),
    )
    if (!result.valid) {
      rejected.push({ candidate, reason: result.reason })
      continue
    }
    budget?.spend(result.gasUsed)
    gasUsed += result.gasUsed
    blobGasUsed += result.blobGasUsed
    const receipt = createReceipt({
      type: transaction.type,
      outcome: rootAfter?.() ?? result.success,
      cumulativeGasUsed: gasUsed,
      logs: result.logs,
    })
    transactions.push({ ...candidate, result, receipt })
  }
  return { transactions, rejected, gasUsed, blobGasUsed }
}
