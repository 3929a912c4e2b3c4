import { prefixFor, toBech32 } from '../chain/bech32.ts'
import { limitExceeded, unsupported } from '../chain/chainError.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { CosmosView } from '../chain/port/cosmos.ts'
import { invalidParams } from '../rpc/errors.ts'
import type { RawJson } from '../rpc/json.ts'
import { optionalParam, param } from '../rpc/method.ts'
import { latest, textAsJson } from './lookup.ts'
import { method } from './method.ts'
import { alice, blockHash, transactionHash } from './samples.ts'
import { Text } from './wire/basic.ts'
import { Block } from './wire/block.ts'
import {
  BareHashOrNull,
  Bech32,
  Bech32Text,
  NativeBlock,
  NativeHash,
  NativeHashOrNull,
  NativeResults,
  NativeTransaction,
} from './wire/cosmos.ts'
import { Address, Data, DataOrNull, Hash } from './wire/data.ts'

const nativeSample = 'B3C0A5E1D2F4968778695A4B3C2D1E0F00112233445566778899AABBCCDDEEFF'
const bech32Sample = 'cosmos17w0adeg64ky0daxwd2ugyuneellmjgnxramjtq'
const blockSample = { block_id: { hash: blockHash.slice(2).toUpperCase() }, block: { data: { txs: [] } } }
const resultsSample = { height: '1', txs_results: null, finalize_block_events: [] }
const transactionSample = { hash: nativeSample, height: '1', index: 0, tx_result: { code: 0 }, tx: 'CgA=' }

const block = optionalParam('block', Block, 'Height, tag or hash of the block; latest when missing.')
const ethereumHash = param('transactionHash', Hash, 'Hash of the Ethereum transaction.')
const nativeHash = param('cosmosHash', NativeHash, "CometBFT's hash of the transaction, with 0x or without.")

/** What one answer holds at most, before it is written. */
const maxText = 64 * 1024 * 1024

const viewOf = ({ cosmos }: Chain): CosmosView => {
  if (cosmos === undefined)
    throw unsupported('this chain has no native side: its blocks are made in process, not by CometBFT')
  return cosmos
}

const upper = (hash: Uint8Array): string => Buffer.from(hash).toString('hex').toUpperCase()

const asReply = (reply: unknown): RawJson | null => {
  if (reply === undefined) return null
  const json = JSON.stringify(reply)
  if (json.length > maxText) throw limitExceeded(`the answer is longer than ${maxText} characters`)
  return textAsJson(json)
}

/** The pending block has no native one yet: the latest is meant. */
const heightOf = ({ blocks }: Chain, ref: BlockRef): number | undefined => {
  const found = blocks.resolve(ref)
  return found === 'pending' ? (blocks.resolve(latest) as number | undefined) : found
}

/** What CometBFT has of a block, or null. */
const readNative = async (
  chain: Chain,
  ref: BlockRef,
  read: (view: CosmosView, height: number) => unknown,
): Promise<RawJson | null> => {
  const view = viewOf(chain)
  const height = heightOf(chain, ref)
  return asReply(height === undefined ? undefined : await read(view, height))
}

/** The hash of either kind as CometBFT's. */
const toNative = async (chain: Chain, hash: Uint8Array, signal: AbortSignal): Promise<Uint8Array> =>
  (await viewOf(chain).nativeHash(hash, signal)) ?? hash

const firstOf = async (chain: Chain, hash: Uint8Array, signal: AbortSignal): Promise<Uint8Array | null> =>
  (await viewOf(chain).ethereumHashes(hash, signal))?.[0] ?? null

/** The Cosmos side of the chain: its own hashes, addresses, blocks and transactions. */
export const cosmosMethods = [
  method({
    name: 'cosmos_getTransactionHash',
    summary: "Gives CometBFT's hash of the native transaction that carries an Ethereum one, or null.",
    access: 'public',
    params: [ethereumHash],
    result: { name: 'cosmosHash', type: NativeHashOrNull },
    examples: [{ name: 'a transfer', params: [transactionHash], result: nativeSample }],
    handler: async ([hash], { chain }, { signal }) => {
      const found = await viewOf(chain).nativeHash(hash, signal)
      return found === undefined ? null : upper(found)
    },
  }),
  method({
    name: 'cosmos_getEthereumHash',
    summary: 'Gives the hash of the first Ethereum transaction that a native one carries, or null.',
    access: 'public',
    params: [nativeHash],
    result: { name: 'transactionHash', type: DataOrNull },
    examples: [{ name: 'a transfer', params: [nativeSample], result: transactionHash }],
    handler: ([hash], { chain }, { signal }) => firstOf(chain, hash, signal),
  }),
  method({
    name: 'cosmos_cosmosTxHashByTxHash',
    summary: 'The same as cosmos_getTransactionHash, under the name and in the form of MiniEVM chains.',
    access: 'public',
    params: [ethereumHash],
    result: { name: 'cosmosHash', type: BareHashOrNull },
    examples: [{ name: 'a transfer', params: [transactionHash], result: nativeSample.toLowerCase() }],
    handler: async ([hash], { chain }, { signal }) => {
      const found = await viewOf(chain).nativeHash(hash, signal)
      return found === undefined ? null : upper(found).toLowerCase()
    },
  }),
  method({
    name: 'cosmos_txHashByCosmosTxHash',
    summary: 'The same as cosmos_getEthereumHash, under the name of MiniEVM chains.',
    access: 'public',
    params: [nativeHash],
    result: { name: 'transactionHash', type: DataOrNull },
    examples: [{ name: 'a transfer', params: [nativeSample], result: transactionHash }],
    handler: ([hash], { chain }, { signal }) => firstOf(chain, hash, signal),
  }),
  method({
    name: 'cosmos_toBech32',
    summary: 'Writes an address in bech32.',
    access: 'public',
    params: [
      param('address', Address, 'The address.'),
      optionalParam(
        'prefix',
        Text,
        "The human-readable part; valoper and valcons alone stand for the chain's own. That of its accounts when missing.",
      ),
    ],
    result: { name: 'bech32', type: Bech32Text },
    examples: [{ name: 'an account', params: [alice, 'cosmos'], result: bech32Sample }],
    handler: ([address, asked], { chain }) => {
      const needsChain = asked === undefined || asked === 'valoper' || asked === 'valcons'
      const prefix = prefixFor(asked, needsChain ? viewOf(chain).bech32Prefix : '')
      if (prefix === undefined)
        throw invalidParams('parameter 2 (prefix): expected small letters and digits, a letter first')
      return toBech32({ prefix, bytes: address })
    },
  }),
  method({
    name: 'cosmos_toHex',
    summary: 'Reads a bech32 address, of an account or of a validator, after a check of its checksum.',
    access: 'public',
    params: [param('bech32', Bech32, 'The address in bech32.')],
    result: { name: 'address', type: Data },
    examples: [{ name: 'an account', params: [bech32Sample], result: alice }],
    handler: ([bytes]) => bytes,
  }),
  method({
    name: 'cosmos_getBlock',
    summary: 'Gives the native block as CometBFT has it, or null.',
    access: 'public',
    params: [block],
    result: { name: 'block', type: NativeBlock },
    examples: [{ name: 'an empty one', params: ['0x1'], result: blockSample }],
    handler: ([ref = latest], { chain }, { signal }) =>
      readNative(chain, ref, (view, height) => view.block(height, signal)),
  }),
  method({
    name: 'cosmos_getBlockResults',
    summary: 'Gives the results of the native block as CometBFT has them, or null.',
    access: 'public',
    params: [block],
    result: { name: 'results', type: NativeResults },
    examples: [{ name: 'of an empty one', params: ['0x1'], result: resultsSample }],
    handler: ([ref = latest], { chain }, { signal }) =>
      readNative(chain, ref, (view, height) => view.blockResults(height, signal)),
  }),
  method({
    name: 'cosmos_getTransaction',
    summary:
      'Gives a native transaction with its result by its own hash or by that of an Ethereum one in it, or null.',
    access: 'public',
    params: [param('hash', NativeHash, 'Hash of either kind.')],
    result: { name: 'transaction', type: NativeTransaction },
    examples: [{ name: 'a transfer', params: [transactionHash], result: transactionSample }],
    handler: async ([hash], { chain }, { signal }) =>
      asReply(await viewOf(chain).transaction(await toNative(chain, hash, signal), signal)),
  }),
]
