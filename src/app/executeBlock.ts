import { nextBaseFee } from '../chain/baseFee.ts'
import { type BlobParameters, gasPerBlob, nextExcessBlobGas } from '../chain/blobGas.ts'
import { ommersHash } from '../chain/block.ts'
import { mergeBlooms } from '../chain/bloom.ts'
import { blobParametersAt, type ChainConfig, forkAt } from '../chain/chainConfig.ts'
import { type Fork, since } from '../chain/forks.ts'
import type { Header } from '../chain/header.ts'
import { createReceipt, type Receipt, receiptsRoot } from '../chain/receipt.ts'
import { requestsHash } from '../chain/requests.ts'
import { listRoot } from '../chain/trieRoot.ts'
import { withdrawalsRoot } from '../chain/withdrawal.ts'
import type { WorldChanges, WorldReader } from '../chain/world.ts'
import type { Machine } from '../evm/machine.ts'
import { gatherRequests } from '../evm/requests.ts'
import { openBlock } from '../evm/system.ts'
import { toTransactionFields } from '../evm/transactionFields.ts'
import type { BlockContext, Execution, InvalidReason, TransactionResult } from '../evm/types.ts'
import type { BlockInputs, CandidateTransaction } from './blockInputs.ts'

export interface IncludedTransaction extends CandidateTransaction {
  readonly result: TransactionResult
  readonly receipt: Receipt
}

/** A transaction that turned out to have no place in this block. */
export interface RejectedTransaction {
  readonly candidate: CandidateTransaction
  readonly reason: InvalidReason
}

/** A block that was executed; only its state root is still to be worked out. */
export interface BlockOutcome {
  readonly fork: Fork
  readonly header: Omit<Header, 'stateRoot'>
  readonly transactions: readonly IncludedTransaction[]
  readonly rejected: readonly RejectedTransaction[]
  readonly changes: WorldChanges
}

export interface BlockEnvironment {
  readonly machine: Machine
  readonly config: ChainConfig
  /** The state after the parent. */
  readonly world: WorldReader
  /** The hash of one of the last 256 blocks. */
  readonly blockHash: (number: bigint) => Uint8Array
}

/** Runs the transactions in order over the parent's state and works out the header. Deterministic in its arguments. */
export const executeBlock = (
  environment: BlockEnvironment,
  inputs: BlockInputs,
  candidates: readonly CandidateTransaction[],
): BlockOutcome => {
  const { machine, config, world } = environment
  const rules = rulesOf(config, inputs)
  const block = contextOf(inputs, rules, environment)
  const execution = machine.begin({ fork: rules.fork, chainId: config.chainId, world, block })
  openBlock(execution, rules.fork, { hash: inputs.parentHash, beaconRoot: inputs.parentBeaconBlockRoot })
  const { transactions, rejected, gasUsed, blobGasUsed } = runTransactions(
    execution,
    rules,
    inputs,
    candidates,
  )
  if (since(rules.fork, 'shanghai')) execution.withdraw(inputs.withdrawals)
  const receipts = transactions.map(({ receipt }) => receipt)
  const requests = since(rules.fork, 'prague')
    ? gatherRequests(
        execution,
        receipts.flatMap(({ logs }) => logs),
        config.depositContract,
      )
    : undefined
  return {
    fork: rules.fork,
    transactions,
    rejected,
    changes: execution.takeChanges(),
    header: {
      parentHash: inputs.parentHash,
      ommersHash: ommersHash(inputs.ommers),
      beneficiary: inputs.beneficiary,
      transactionsRoot: listRoot(transactions.map(({ raw }) => raw)),
      receiptsRoot: receiptsRoot(receipts),
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

interface BlockRules {
  readonly fork: Fork
  readonly baseFee: bigint
  /** Undefined before Cancun. */
  readonly blobs: BlobParameters | undefined
  readonly excessBlobGas: bigint | undefined
}

const rulesOf = (config: ChainConfig, { parent, timestamp, difficulty }: BlockInputs): BlockRules => {
  const fork = forkAt(config, parent.number + 1n, timestamp, difficulty === 0n)
  const blobs = since(fork, 'cancun') ? blobParametersAt(config, timestamp) : undefined
  return {
    fork,
    baseFee: since(fork, 'london') ? nextBaseFee(parent) : 0n,
    blobs,
    excessBlobGas: blobs && nextExcessBlobGas(parent, fork, blobs),
  }
}

const contextOf = (
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

const runTransactions = (
  execution: Execution,
  { blobs }: BlockRules,
  { gasLimit }: BlockInputs,
  candidates: readonly CandidateTransaction[],
) => {
  const transactions: IncludedTransaction[] = []
  const rejected: RejectedTransaction[] = []
  const maxBlobGas = BigInt(blobs?.max ?? 0) * gasPerBlob
  let gasUsed = 0n
  let blobGasUsed = 0n
  for (const candidate of candidates) {
    const { transaction, sender } = candidate
    const result = execution.transact(toTransactionFields(transaction), sender, {
      gasAvailable: gasLimit - gasUsed,
      blobGasAvailable: maxBlobGas - blobGasUsed,
    })
    if (!result.valid) {
      rejected.push({ candidate, reason: result.reason })
      continue
    }
    gasUsed += result.gasUsed
    blobGasUsed += result.blobGasUsed
    const receipt = createReceipt({
      type: transaction.type,
      outcome: result.success,
      cumulativeGasUsed: gasUsed,
      logs: result.logs,
    })
    transactions.push({ ...candidate, result, receipt })
  }
  return { transactions, rejected, gasUsed, blobGasUsed }
}
