import { fromBigInt, noBytes } from '../../base/bytes.ts'
import { ommersHash } from '../../chain/block/block.ts'
import { bloomLength, mergeBlooms } from '../../chain/block/bloom.ts'
import type { Header } from '../../chain/block/header.ts'
import { type Receipt, receiptsRoot } from '../../chain/block/receipt.ts'
import { requestsHash } from '../../chain/block/requests.ts'
import { emptyTrieRoot, listRoot } from '../../chain/block/trieRoot.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import type { NativeBlock, NativeHeader, NativeResult, NativeResults } from '../parse/native.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import { baseFeeOf } from './blockEvents.ts'
import type { ConversionContext } from './conversionContext.ts'

const zeroHash = new Uint8Array(32)
const noOmmers = ommersHash([])
const noRequests = requestsHash([])
/** Where the chain has no limit: what cosmos/evm shows then. */
const unlimitedGas = 0xffff_ffffn
const maxUint64 = (1n << 64n) - 1n

/** An application's hash as a root: applications before their first state have shorter ones. */
const rootOf = (hash: Uint8Array): Uint8Array => {
  if (hash.length === 32) return hash
  const root = new Uint8Array(32)
  const tail = hash.subarray(Math.max(0, hash.length - 32))
  root.set(tail, 32 - tail.length)
  return root
}

const outOfBlockGas = ({ code, log }: NativeResult): boolean =>
  code === 11 && log.includes('no block gas left to run tx: out of gas')

/** Of all native transactions; from where the block had no gas left the engine's numbers mean nothing. */
const gasUsedOf = (results: readonly NativeResult[]): bigint => {
  let sum = 0n
  for (const result of results) {
    if (outOfBlockGas(result)) break
    sum += result.gasUsed
  }
  if (sum < 0n || sum > maxUint64) throw new UpstreamFault(`the gas of the block is ${sum}`)
  return sum
}

/** The time by which forks and clients go. */
export const secondsOf = ({ time, height }: NativeHeader): bigint => {
  if (time.seconds < 0n) throw new UpstreamFault(`block ${height} is from before 1970`)
  return time.seconds
}

export interface HeaderParts {
  readonly fork: Fork
  readonly raw: readonly Uint8Array[]
  readonly receipts: readonly Receipt[]
}

/**
 * The header that Ethereum sees. Its hash is not the block's: that is CometBFT's. The state root is the one after the
 * block before, as it stands in CometBFT's header.
 */
export const toCosmosHeader = (
  { header }: NativeBlock,
  results: NativeResults,
  { miner, maxGas }: ConversionContext,
  { decimals }: ChainFacts,
  { fork, raw, receipts }: HeaderParts,
): Header => ({
  parentHash: header.lastBlockId.hash.length === 0 ? zeroHash : header.lastBlockId.hash,
  ommersHash: noOmmers,
  beneficiary: miner,
  stateRoot: rootOf(header.appHash),
  transactionsRoot: listRoot(raw),
  receiptsRoot: receiptsRoot(receipts),
  logsBloom: receipts.length === 0 ? new Uint8Array(bloomLength) : mergeBlooms(receipts.map(bloomOf)),
  difficulty: 0n,
  number: BigInt(header.height),
  gasLimit: maxGas < 0n ? unlimitedGas : maxGas,
  gasUsed: gasUsedOf(results.transactions),
  timestamp: secondsOf(header),
  extraData: noBytes,
  mixHash: zeroHash,
  nonce: fromBigInt(0n, 8),
  // A fee market that is switched off charges nothing.
  baseFeePerGas: since(fork, 'london') ? (baseFeeOf(results.events, decimals) ?? 0n) : undefined,
  withdrawalsRoot: since(fork, 'shanghai') ? emptyTrieRoot : undefined,
  blobGasUsed: since(fork, 'cancun') ? 0n : undefined,
  excessBlobGas: since(fork, 'cancun') ? 0n : undefined,
  parentBeaconBlockRoot: since(fork, 'cancun') ? zeroHash : undefined,
  requestsHash: since(fork, 'prague') ? noRequests : undefined,
})

const bloomOf = ({ logsBloom }: Receipt): Uint8Array => logsBloom
