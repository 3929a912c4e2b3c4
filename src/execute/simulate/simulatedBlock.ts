import { assembledLength, ommersHash } from '../../chain/block/block.ts'
import { blockRewards } from '../../chain/block/blockRewards.ts'
import { mergeBlooms } from '../../chain/block/bloom.ts'
import { encodeHeader, type Header, headerHash } from '../../chain/block/header.ts'
import { receiptsRoot } from '../../chain/block/receipt.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import { requestsHash } from '../../chain/block/requestsHash.ts'
import { listRoot } from '../../chain/block/trieRoot.ts'
import { withdrawalsRoot } from '../../chain/block/withdrawal.ts'
import { refused } from '../../chain/chainError.ts'
import { blobParametersAt, type ChainConfig } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import { nextBaseFee } from '../../chain/fees/baseFee.ts'
import { nextExcessBlobGas } from '../../chain/fees/blobGas.ts'
import type { SimulatedBlockJson } from '../../chain/json/simulationJson.ts'
import type { EvmStateReader, StateChanges } from '../../chain/state/evmState.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import { collectRequests, DepositLogError } from '../../evm/block/collectRequests.ts'
import { applyPreBlockCalls, SystemCallError } from '../../evm/block/systemCalls.ts'
import type { Evm } from '../../evm/evm.ts'
import type { BlockContext, Execution } from '../../evm/types.ts'
import { applyPrecompileOverrides, overridesToChanges } from '../call/applyOverrides.ts'
import type { ExecutionBudget } from '../call/budget.ts'
import type { PlannedBlock } from './plan.ts'
import type { GasPool } from './simulatedCall.ts'
import { runCalls, type SimulatedCallsResult } from './simulatedCalls.ts'
import { LogTracer } from './simulatedLogs.ts'

export interface SimulationContext {
  readonly evm: Evm
  readonly config: ChainConfig
  readonly budget: ExecutionBudget
  readonly gasPool: GasPool
  readonly isValidated: boolean
  readonly hasTransfers: boolean
  /** Returns the hash of one of the last 256 blocks, including simulated ones. */
  readonly blockHash: (number: bigint) => Uint8Array
  /** Returns the state root after changes that are applied on top of those of the previous blocks. */
  readonly rootAfter: (changes: readonly StateChanges[]) => Uint8Array
}

export interface SimulatedBlockResult {
  readonly header: Header
  readonly json: SimulatedBlockJson
  /** The state changes in the order in which they were made. */
  readonly changes: readonly StateChanges[]
}

const zeroHash = new Uint8Array(32)
const noNonce = new Uint8Array(8)
const noExtra = new Uint8Array(0)

/** Simulates one block: overrides, system calls, the calls, and the operations at the end of a block. */
export const simulateBlock = (
  context: SimulationContext,
  planned: PlannedBlock,
  parent: Header,
  state: EvmStateReader,
): SimulatedBlockResult => {
  const { evm, config, budget, gasPool, rootAfter } = context
  const { chainId, limits } = config
  const { fork } = planned
  const block = toBlockContext(context, planned, parent)
  const precompiles = applyPrecompileOverrides(fork, planned.stateOverrides)
  const overridden = overridesToChanges(state, planned.stateOverrides)
  const logTracer = new LogTracer(context.hasTransfers)
  const execution = evm.createExecution({
    fork,
    chainId,
    chainLimits: limits,
    evmState: overridden.accounts.length === 0 ? state : createOverlay(state, overridden),
    block,
    limits: budget.limits(),
    tracer: logTracer,
    ...(precompiles === undefined ? {} : { precompiles }),
  })
  const changes = [overridden]
  const intermediateRoot = (): Uint8Array => {
    changes.push(execution.drainChanges())
    return rootAfter(changes)
  }
  const { isValidated } = context
  const callContext = {
    execution,
    fork,
    block,
    chainId,
    limits,
    isValidated,
    budget,
    gasPool,
    logTracer,
    intermediateRoot,
  }
  const parentHash = headerHash(parent)
  applyPreBlockCalls(execution, fork, {
    hash: parentHash,
    beaconRoot: planned.overrides.beaconRoot ?? zeroHash,
  })
  const executed = runCalls(callContext, planned.calls)
  const requests = since(fork, 'prague')
    ? collectBlockRequests(execution, executed.logs, config.depositContract)
    : undefined
  const withdrawals = since(fork, 'shanghai') ? (planned.overrides.withdrawals ?? []) : undefined
  for (const { address, amount } of blockRewards(fork, planned, [])) execution.credit(address, amount)
  if (withdrawals !== undefined) execution.withdraw(withdrawals)

  const header: Header = {
    ...buildHeader(planned, block, executed),
    parentHash,
    stateRoot: intermediateRoot(),
    withdrawalsRoot: withdrawals && withdrawalsRoot(withdrawals),
    requestsHash: requests && requestsHash(requests),
  }
  const rawTransactions = executed.calls.map(({ raw }) => raw)
  const size = assembledLength({
    headerRlp: encodeHeader(header),
    rawTransactions,
    ommers: [],
    withdrawals,
  })
  return {
    header,
    json: { header, hash: headerHash(header), size, withdrawals, calls: executed.calls },
    changes,
  }
}

/** Returns the header fields that follow from the plan and the calls. */
const buildHeader = (
  { fork, overrides, beneficiary, difficulty, number, gasLimit, timestamp }: PlannedBlock,
  { baseFee, excessBlobGas }: BlockContext,
  { calls, receipts, gasUsed, blobGasUsed }: SimulatedCallsResult,
): Omit<Header, 'parentHash' | 'stateRoot'> => ({
  ommersHash: ommersHash([]),
  beneficiary,
  transactionsRoot: listRoot(calls.map(({ raw }) => raw)),
  receiptsRoot: receiptsRoot(receipts),
  logsBloom: mergeBlooms(receipts.map(({ logsBloom }) => logsBloom)),
  difficulty,
  number,
  gasLimit,
  gasUsed,
  timestamp,
  extraData: noExtra,
  mixHash: overrides.prevRandao ?? zeroHash,
  nonce: noNonce,
  baseFeePerGas: since(fork, 'london') ? baseFee : undefined,
  blobGasUsed: since(fork, 'cancun') ? blobGasUsed : undefined,
  excessBlobGas,
  parentBeaconBlockRoot: since(fork, 'cancun') ? (overrides.beaconRoot ?? zeroHash) : undefined,
})

/**
 * Returns the context of a simulated block. Without validation gas is free unless an override sets a base fee, so that
 * a call needs no balance.
 */
const toBlockContext = (
  { config, isValidated, blockHash }: SimulationContext,
  { fork, number, timestamp, beneficiary, gasLimit, difficulty, overrides }: PlannedBlock,
  parent: Header,
): BlockContext => {
  const blobs = since(fork, 'cancun') ? blobParametersAt(config, timestamp) : undefined
  const defaultBaseFee = isValidated && since(fork, 'london') ? nextBaseFee(parent) : 0n
  return {
    number,
    timestamp,
    coinbase: beneficiary,
    gasLimit,
    difficulty,
    prevRandao: since(fork, 'paris') ? (overrides.prevRandao ?? zeroHash) : undefined,
    baseFee: overrides.baseFeePerGas ?? defaultBaseFee,
    excessBlobGas: blobs && nextExcessBlobGas(parent, fork, blobs),
    blobParameters: blobs,
    ...(overrides.blobBaseFee === undefined ? {} : { blobBaseFee: overrides.blobBaseFee }),
    blockHash,
  }
}

const collectBlockRequests = (
  execution: Execution,
  logs: readonly Log[],
  depositContract: Uint8Array | undefined,
): readonly Uint8Array[] => {
  try {
    return collectRequests(execution, logs, depositContract)
  } catch (error) {
    if (!(error instanceof SystemCallError || error instanceof DepositLogError)) throw error
    throw refused(error.message)
  }
}
