import { assembleBlock, ommersHash } from '../../chain/block/block.ts'
import { mergeBlooms } from '../../chain/block/bloom.ts'
import { encodeHeader, type Header, headerHash } from '../../chain/block/header.ts'
import type { Log } from '../../chain/block/log.ts'
import { receiptsRoot } from '../../chain/block/receipt.ts'
import { requestsHash } from '../../chain/block/requests.ts'
import { blockRewards } from '../../chain/block/rewards.ts'
import { listRoot } from '../../chain/block/trieRoot.ts'
import { withdrawalsRoot } from '../../chain/block/withdrawal.ts'
import { refused } from '../../chain/chainError.ts'
import { blobParametersAt, type ChainConfig } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import { nextBaseFee } from '../../chain/fees/baseFee.ts'
import { nextExcessBlobGas } from '../../chain/fees/blobGas.ts'
import type { SimulatedBlockJson } from '../../chain/json/simulation.ts'
import type { WorldChanges, WorldReader } from '../../chain/state/world.ts'
import type { Machine } from '../../evm/machine.ts'
import { DepositLogError, gatherRequests } from '../../evm/requests.ts'
import { openBlock, SystemCallError } from '../../evm/system.ts'
import type { BlockContext, Execution } from '../../evm/types.ts'
import type { Meter } from '../call/meter.ts'
import { overrideChanges, overridePrecompiles } from '../call/overrides.ts'
import { overlay } from '../overlay/overlay.ts'
import type { GasPurse } from './call.ts'
import { type CallsMade, runCalls } from './calls.ts'
import { LogGatherer } from './logs.ts'
import type { PlannedBlock } from './plan.ts'

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
  const { chainId } = config
  const { fork } = planned
  const block = contextOf(workshop, planned, parent)
  const precompiles = overridePrecompiles(fork, planned.stateOverrides)
  const overridden = overrideChanges(world, planned.stateOverrides)
  const gatherer = new LogGatherer(workshop.hasTransfers)
  const execution = machine.begin({
    fork,
    chainId,
    world: overridden.accounts.length === 0 ? world : overlay(world, overridden),
    block,
    limits: meter.limits(),
    tracer: gatherer,
    ...(precompiles === undefined ? {} : { precompiles }),
  })
  const changes = [overridden]
  const rootNow = (): Uint8Array => {
    changes.push(execution.takeChanges())
    return rootAfter(changes)
  }
  const { isValidated } = workshop
  const setting = { execution, fork, block, chainId, isValidated, meter, purse, gatherer, rootNow }
  const parentHash = headerHash(parent)
  openBlock(execution, fork, { hash: parentHash, beaconRoot: planned.overrides.beaconRoot ?? zeroHash })
  const made = runCalls(setting, planned.calls)
  const requests = since(fork, 'prague')
    ? requestsOf(execution, made.logs, config.depositContract)
    : undefined
  const withdrawals = since(fork, 'shanghai') ? (planned.overrides.withdrawals ?? []) : undefined
  for (const { address, amount } of blockRewards(fork, planned, [])) execution.credit(address, amount)
  if (withdrawals !== undefined) execution.withdraw(withdrawals)

  const header: Header = {
    ...headerOf(planned, block, made),
    parentHash,
    stateRoot: rootNow(),
    withdrawalsRoot: withdrawals && withdrawalsRoot(withdrawals),
    requestsHash: requests && requestsHash(requests),
  }
  const rawTransactions = made.calls.map(({ raw }) => raw)
  const size = assembleBlock({
    headerRlp: encodeHeader(header),
    rawTransactions,
    ommers: [],
    withdrawals,
  }).length
  return { header, json: { header, hash: headerHash(header), size, withdrawals, calls: made.calls }, changes }
}

/** What of the header follows from the plan and the calls. */
const headerOf = (
  { fork, overrides, beneficiary, difficulty, number, gasLimit, timestamp }: PlannedBlock,
  { baseFee, excessBlobGas }: BlockContext,
  { calls, receipts, gasUsed, blobGasUsed }: CallsMade,
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

const requestsOf = (
  execution: Execution,
  logs: readonly Log[],
  depositContract: Uint8Array | undefined,
): readonly Uint8Array[] => {
  try {
    return gatherRequests(execution, logs, depositContract)
  } catch (error) {
    if (!(error instanceof SystemCallError || error instanceof DepositLogError)) throw error
    throw refused(error.message)
  }
}
