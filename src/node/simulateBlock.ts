import { nextBaseFee } from '../chain/baseFee.ts'
import { gasPerBlob, nextExcessBlobGas } from '../chain/blobGas.ts'
import { assembleBlock, ommersHash } from '../chain/block.ts'
import { mergeBlooms } from '../chain/bloom.ts'
import { blobParametersAt, type ChainConfig } from '../chain/chainConfig.ts'
import { ChainError } from '../chain/chainError.ts'
import { since } from '../chain/forks.ts'
import { encodeHeader, type Header, headerHash } from '../chain/header.ts'
import type { SimulatedBlockJson, SimulatedCallJson } from '../chain/json/simulation.ts'
import type { Log } from '../chain/log.ts'
import { createReceipt, type Receipt, receiptsRoot } from '../chain/receipt.ts'
import { requestsHash } from '../chain/requests.ts'
import { blockRewards } from '../chain/rewards.ts'
import { listRoot } from '../chain/trieRoot.ts'
import { withdrawalsRoot } from '../chain/withdrawal.ts'
import type { WorldChanges, WorldReader } from '../chain/world.ts'
import type { Machine } from '../evm/machine.ts'
import { DepositLogError, gatherRequests } from '../evm/requests.ts'
import { openBlock, SystemCallError } from '../evm/system.ts'
import type { BlockContext, Execution } from '../evm/types.ts'
import type { Meter } from './executorMeter.ts'
import { overrideChanges, overridePrecompiles } from './executorOverrides.ts'
import { overlay } from './overlay.ts'
import { type CallSetting, fillCall, type GasPurse, runCall } from './simulateCall.ts'
import { LogGatherer } from './simulateLogs.ts'
import type { PlannedBlock } from './simulatePlan.ts'
import { toSimulatedTransaction } from './simulateTransaction.ts'

export interface BlockWorkshop {
  readonly machine: Machine
  readonly config: ChainConfig
  readonly meter: Meter
  readonly purse: GasPurse
  readonly isValidated: boolean
  readonly hasTransfers: boolean
  /** The hash of one of the last 256 blocks, simulated ones among them. */
  readonly blockHash: (number: bigint) => Uint8Array
  /** The state root after more changes, on top of those that were there before the block. */
  readonly rootAfter: (changes: readonly WorldChanges[]) => Uint8Array
}

export interface MadeBlock {
  readonly header: Header
  readonly json: SimulatedBlockJson
  /** In the order in which they came about. */
  readonly changes: readonly WorldChanges[]
}

const zeroHash = new Uint8Array(32)
const noNonce = new Uint8Array(8)
const noExtra = new Uint8Array(0)

/** Makes one block: overrides, system calls, the calls, and what a block does at its end. */
export const makeBlock = (
  workshop: BlockWorkshop,
  planned: PlannedBlock,
  parent: Header,
  world: WorldReader,
): MadeBlock => {
  const { machine, config, meter, purse, rootAfter } = workshop
  const { fork, overrides } = planned
  const block = contextOf(workshop, planned, parent)
  const precompiles = overridePrecompiles(fork, planned.stateOverrides)
  const overridden = overrideChanges(world, planned.stateOverrides)
  const gatherer = new LogGatherer(workshop.hasTransfers)
  const execution = machine.begin({
    fork,
    chainId: config.chainId,
    world: overridden.accounts.length === 0 ? world : overlay(world, overridden),
    block,
    limits: meter.limits(),
    tracer: gatherer,
    ...(precompiles === undefined ? {} : { precompiles }),
  })
  const parentHash = headerHash(parent)
  const beaconRoot = overrides.beaconRoot ?? zeroHash
  const changes = [overridden]
  openBlock(execution, fork, { hash: parentHash, beaconRoot })

  const setting: CallSetting = {
    execution,
    fork,
    block,
    chainId: config.chainId,
    isValidated: workshop.isValidated,
  }
  const calls: SimulatedCallJson[] = []
  const receipts: Receipt[] = []
  const logs: Log[] = []
  let gasUsed = 0n
  let blobGasUsed = 0n
  for (const request of planned.calls) {
    meter.check()
    const filled = fillCall(setting, request, block.gasLimit - gasUsed, purse)
    const simulated = toSimulatedTransaction(filled.request, fork, config.chainId, filled.gasLimit)
    gatherer.take()
    const run = runCall(setting, filled)
    const placed = gatherer.take()
    purse.left -= run.gasUsed
    gasUsed += run.gasUsed
    if (simulated.transaction.type === 3)
      blobGasUsed += BigInt(simulated.transaction.blobVersionedHashes.length) * gasPerBlob
    for (const { log } of placed) logs.push(log)
    calls.push({ ...simulated, ...run, logs: placed, isCapped: filled.isCapped })
    receipts.push(
      createReceipt({
        type: simulated.transaction.type,
        outcome: since(fork, 'byzantium') ? run.result.success : rootOfNow(execution, changes, rootAfter),
        cumulativeGasUsed: gasUsed,
        logs: run.result.logs,
      }),
    )
  }

  const requests = since(fork, 'prague') ? requestsOf(execution, logs, config.depositContract) : undefined
  const withdrawals = since(fork, 'shanghai') ? (overrides.withdrawals ?? []) : undefined
  for (const { address, amount } of blockRewards(fork, planned, [])) execution.credit(address, amount)
  if (withdrawals !== undefined) execution.withdraw(withdrawals)
  changes.push(execution.takeChanges())
  const rawTransactions = calls.map(({ raw }) => raw)
  const header: Header = {
    parentHash,
    ommersHash: ommersHash([]),
    beneficiary: planned.beneficiary,
    stateRoot: rootAfter(changes),
    transactionsRoot: listRoot(rawTransactions),
    receiptsRoot: receiptsRoot(receipts),
    logsBloom: mergeBlooms(receipts.map(({ logsBloom }) => logsBloom)),
    difficulty: planned.difficulty,
    number: planned.number,
    gasLimit: planned.gasLimit,
    gasUsed,
    timestamp: planned.timestamp,
    extraData: noExtra,
    mixHash: overrides.prevRandao ?? zeroHash,
    nonce: noNonce,
    baseFeePerGas: since(fork, 'london') ? block.baseFee : undefined,
    withdrawalsRoot: withdrawals && withdrawalsRoot(withdrawals),
    blobGasUsed: since(fork, 'cancun') ? blobGasUsed : undefined,
    excessBlobGas: block.excessBlobGas,
    parentBeaconBlockRoot: since(fork, 'cancun') ? beaconRoot : undefined,
    requestsHash: requests && requestsHash(requests),
  }
  const size = assembleBlock({
    headerRlp: encodeHeader(header),
    rawTransactions,
    ommers: [],
    withdrawals,
  }).length
  return { header, json: { header, hash: headerHash(header), size, withdrawals, calls }, changes }
}

/** Without validation gas is free unless a block says otherwise, so that a call needs no coins. */
const contextOf = (
  { config, isValidated, blockHash }: BlockWorkshop,
  { fork, number, timestamp, beneficiary, gasLimit, difficulty, overrides }: PlannedBlock,
  parent: Header,
): BlockContext => {
  const blobs = since(fork, 'cancun') ? blobParametersAt(config, timestamp) : undefined
  const ownFee = isValidated && since(fork, 'london') ? nextBaseFee(parent) : 0n
  return {
    number,
    timestamp,
    coinbase: beneficiary,
    gasLimit,
    difficulty,
    prevRandao: since(fork, 'paris') ? (overrides.prevRandao ?? zeroHash) : undefined,
    baseFee: overrides.baseFeePerGas ?? ownFee,
    excessBlobGas: blobs && nextExcessBlobGas(parent, fork, blobs),
    blobParameters: blobs,
    ...(overrides.blobBaseFee === undefined ? {} : { blobBaseFee: overrides.blobBaseFee }),
    blockHash,
  }
}

/** Before Byzantium a receipt names the state after its transaction. */
const rootOfNow = (
  execution: Execution,
  changes: WorldChanges[],
  rootAfter: BlockWorkshop['rootAfter'],
): Uint8Array => {
  changes.push(execution.takeChanges())
  return rootAfter(changes)
}

const requestsOf = (
  execution: Execution,
  logs: readonly Log[],
  depositContract: Uint8Array | undefined,
): readonly Uint8Array[] => {
  try {
    return gatherRequests(execution, logs, depositContract)
  } catch (error) {
    if (!(error instanceof SystemCallError || error instanceof DepositLogError)) throw error
    throw new ChainError('refused', error.message)
  }
}
