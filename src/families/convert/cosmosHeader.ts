import { emptyBytes, fromBigInt, maxUint64 } from '../../base/encoding/bytes.ts'
import { ommersHash } from '../../chain/block/block.ts'
import { bloomLength, mergeBlooms } from '../../chain/block/bloom.ts'
import type { Header } from '../../chain/block/header.ts'
import { type Receipt, receiptsRoot } from '../../chain/block/receipt.ts'
import { requestsHash } from '../../chain/block/requestsHash.ts'
import { emptyTrieRoot, listRoot } from '../../chain/block/trieRoot.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type {
  NativeBlock,
  NativeBlockResults,
  NativeHeader,
  NativeResult,
} from '../../comet/data/nativeBlock.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { codes } from '../../cosmos/codes.ts'
import { parseBaseFee } from './blockEvents.ts'
import type { ConversionContext } from './conversionContext.ts'

const zeroHash = new Uint8Array(32)
const noOmmers = ommersHash([])
const noRequests = requestsHash([])
/** The gas limit that cosmos/evm reports if the chain has no limit. */
const unlimitedGas = 0xffff_ffffn

/** Returns an application hash as a state root. The hash is shorter before the application has a first state. */
const toStateRoot = (hash: Uint8Array): Uint8Array => {
  if (hash.length === 32) return hash
  const root = new Uint8Array(32)
  const tail = hash.subarray(Math.max(0, hash.length - 32))
  root.set(tail, 32 - tail.length)
  return root
}

const outOfBlockGas = ({ code, log }: NativeResult): boolean =>
  code === codes.outOfGas && log.includes('no block gas left to run tx: out of gas')

/**
 * Returns the gas of all native transactions. After the block ran out of gas the numbers of the engine are meaningless.
 */
const gasUsedOf = (results: readonly NativeResult[]): bigint => {
  let sum = 0n
  for (const result of results) {
    if (outOfBlockGas(result)) break
    sum += result.gasUsed
  }
  if (sum < 0n || sum > maxUint64) throw new UpstreamError(`the gas of the block is ${sum}`)
  return sum
}

/** Returns the time in seconds, as forks and clients use it. */
export const toSeconds = ({ time, height }: NativeHeader): bigint => {
  if (time.seconds < 0n) throw new UpstreamError(`block ${height} is from before 1970`)
  return time.seconds
}

export interface HeaderParts {
  readonly fork: Fork
  readonly raw: readonly Uint8Array[]
  readonly receipts: readonly Receipt[]
}

/**
 * Returns the Ethereum header of a native block. Its hash is not the block's, which is CometBFT's. The state root is
 * the application hash in CometBFT's header, which is that after the previous block.
 */
export const toCosmosHeader = (
  { header }: NativeBlock,
  results: NativeBlockResults,
  { miner, maxGas }: ConversionContext,
  { decimals }: ChainInfo,
  { fork, raw, receipts }: HeaderParts,
): Header => ({
  parentHash: header.lastBlockId.hash.length === 0 ? zeroHash : header.lastBlockId.hash,
  ommersHash: noOmmers,
  beneficiary: miner,
  stateRoot: toStateRoot(header.appHash),
  transactionsRoot: listRoot(raw),
  receiptsRoot: receiptsRoot(receipts),
  logsBloom: receipts.length === 0 ? new Uint8Array(bloomLength) : mergeBlooms(receipts.map(bloomOf)),
  difficulty: 0n,
  number: BigInt(header.height),
  gasLimit: maxGas < 0n ? unlimitedGas : maxGas,
  gasUsed: gasUsedOf(results.transactions),
  timestamp: toSeconds(header),
  extraData: emptyBytes,
  mixHash: zeroHash,
  nonce: fromBigInt(0n, 8),
  // A fee market that is switched off has a base fee of zero.
  baseFeePerGas: since(fork, 'london') ? (parseBaseFee(results.events, decimals) ?? 0n) : undefined,
  withdrawalsRoot: since(fork, 'shanghai') ? emptyTrieRoot : undefined,
  blobGasUsed: since(fork, 'cancun') ? 0n : undefined,
  excessBlobGas: since(fork, 'cancun') ? 0n : undefined,
  parentBeaconBlockRoot: since(fork, 'cancun') ? zeroHash : undefined,
  requestsHash: since(fork, 'prague') ? noRequests : undefined,
})

const bloomOf = ({ logsBloom }: Receipt): Uint8Array => logsBloom
