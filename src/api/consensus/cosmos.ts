import { resolvePrefix, toBech32 } from '../../chain/bech32.ts'
import { limitExceeded, unsupported } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import { invalidParams } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { latest, textAsJson } from '../answers/lookup.ts'
import { publicMethod } from '../method.ts'
import { Text } from '../wire/basic.ts'
import { Block } from '../wire/block.ts'
import {
  BareHashOrNull,
  Bech32,
  Bech32Text,
  NativeBlock,
  NativeHash,
  NativeHashOrNull,
  NativeResults,
  NativeTransaction,
} from '../wire/cosmos.ts'
import { Address, Data, DataOrNull, Hash } from '../wire/data.ts'
import { alice, blockHash, transactionHash } from '../wire/exampleValues.ts'

const nativeSample = 'B3C0A5E1D2F4968778695A4B3C2D1E0F00112233445566778899AABBCCDDEEFF'
const bech32Sample = 'cosmos17w0adeg64ky0daxwd2ugyuneellmjgnxramjtq'
const blockSample = { block_id: { hash: blockHash.slice(2).toUpperCase() }, block: { data: { txs: [] } } }
const resultsSample = { height: '1', txs_results: null, finalize_block_events: [] }
const transactionSample = { hash: nativeSample, height: '1', index: 0, tx_result: { code: 0 }, tx: 'CgA=' }

const block = optionalParam('block', Block, 'Height, tag or hash of the block; latest when missing.')
const ethereumHash = param('transactionHash', Hash, 'Hash of the Ethereum transaction.')
const nativeHash = param('cosmosHash', NativeHash, "CometBFT's hash of the transaction, with 0x or without.")

/** The largest response in characters. */
const maxResponseLength = 64 * 1024 * 1024

const requireCosmosView = ({ cosmos }: Chain): CosmosView => {
  if (cosmos === undefined)
    throw unsupported('this chain has no native side: its blocks are made in process, not by CometBFT')
  return cosmos
}

const toUpperHex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex').toUpperCase()

const toRawJson = (reply: unknown): RawJson | null => {
  if (reply === undefined) return null
  const json = JSON.stringify(reply)
  if (json.length > maxResponseLength)
    throw limitExceeded(`the response is longer than ${maxResponseLength} characters`)
  return textAsJson(json)
}

/** Returns the height of a block. The pending block has no native block yet, so that the latest is used. */
const heightOf = ({ blocks }: Chain, ref: BlockRef): number | undefined => {
  const found = blocks.resolve(ref)
  return found === 'pending' ? (blocks.resolve(latest) as number | undefined) : found
}

/** Returns native data of a block; null if there is no such block. */
const fetchNative = async (
  chain: Chain,
  ref: BlockRef,
  read: (view: CosmosView, height: number) => unknown,
): Promise<RawJson | null> => {
  const view = requireCosmosView(chain)
  const height = heightOf(chain, ref)
  return toRawJson(height === undefined ? undefined : await read(view, height))
}

/** Returns the native hash of a transaction from its native or Ethereum hash. */
const toNative = async (chain: Chain, hash: Uint8Array, signal: AbortSignal): Promise<Uint8Array> =>
  (await requireCosmosView(chain).nativeHash(hash, signal)) ?? hash

const firstEthereumHash = async (
  chain: Chain,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array | null> => (await requireCosmosView(chain).ethereumHashes(hash, signal))?.[0] ?? null

/** The methods for native hashes, addresses, blocks and transactions. */
export const cosmosMethods = [
  publicMethod({
    name: 'cosmos_getTransactionHash',
    summary: "Gives CometBFT's hash of the native transaction that carries an Ethereum one, or null.",
    params: [ethereumHash],
    result: { name: 'cosmosHash', type: NativeHashOrNull },
    examples: [{ name: 'a transfer', params: [transactionHash], result: nativeSample }],
    handler: async ([hash], { chain }, { signal }) => {
      const found = await requireCosmosView(chain).nativeHash(hash, signal)
      return found === undefined ? null : toUpperHex(found)
    },
  }),
  publicMethod({
    name: 'cosmos_getEthereumHash',
    summary: 'Gives the hash of the first Ethereum transaction that a native one carries, or null.',
    params: [nativeHash],
    result: { name: 'transactionHash', type: DataOrNull },
    examples: [{ name: 'a transfer', params: [nativeSample], result: transactionHash }],
    handler: ([hash], { chain }, { signal }) => firstEthereumHash(chain, hash, signal),
  }),
  publicMethod({
    name: 'cosmos_cosmosTxHashByTxHash',
    summary: 'The same as cosmos_getTransactionHash, under the name and in the form of MiniEVM chains.',
    params: [ethereumHash],
    result: { name: 'cosmosHash', type: BareHashOrNull },
    examples: [{ name: 'a transfer', params: [transactionHash], result: nativeSample.toLowerCase() }],
    handler: async ([hash], { chain }, { signal }) => {
      const found = await requireCosmosView(chain).nativeHash(hash, signal)
      return found === undefined ? null : toUpperHex(found).toLowerCase()
    },
  }),
  publicMethod({
    name: 'cosmos_txHashByCosmosTxHash',
    summary: 'The same as cosmos_getEthereumHash, under the name of MiniEVM chains.',
    params: [nativeHash],
    result: { name: 'transactionHash', type: DataOrNull },
    examples: [{ name: 'a transfer', params: [nativeSample], result: transactionHash }],
    handler: ([hash], { chain }, { signal }) => firstEthereumHash(chain, hash, signal),
  }),
  publicMethod({
    name: 'cosmos_toBech32',
    summary: 'Writes an address in bech32.',
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
    handler: ([address, requestedPrefix], { chain }) => {
      const needsChain =
        requestedPrefix === undefined || requestedPrefix === 'valoper' || requestedPrefix === 'valcons'
      const prefix = resolvePrefix(requestedPrefix, needsChain ? requireCosmosView(chain).bech32Prefix : '')
      if (prefix === undefined)
        throw invalidParams('parameter 2 (prefix): expected small letters and digits, a letter first')
      return toBech32({ prefix, bytes: address })
    },
  }),
  publicMethod({
    name: 'cosmos_toHex',
    summary: 'Reads a bech32 address, of an account or of a validator, after a check of its checksum.',
    params: [param('bech32', Bech32, 'The address in bech32.')],
    result: { name: 'address', type: Data },
    examples: [{ name: 'an account', params: [bech32Sample], result: alice }],
    handler: ([bytes]) => bytes,
  }),
  publicMethod({
    name: 'cosmos_getBlock',
    summary: 'Gives the native block as CometBFT has it, or null.',
    params: [block],
    result: { name: 'block', type: NativeBlock },
    examples: [{ name: 'an empty one', params: ['0x1'], result: blockSample }],
    handler: ([ref = latest], { chain }, { signal }) =>
      fetchNative(chain, ref, (view, height) => view.block(height, signal)),
  }),
  publicMethod({
    name: 'cosmos_getBlockResults',
    summary: 'Gives the results of the native block as CometBFT has them, or null.',
    work: 'state',
    params: [block],
    result: { name: 'results', type: NativeResults },
    examples: [{ name: 'of an empty one', params: ['0x1'], result: resultsSample }],
    handler: ([ref = latest], { chain }, { signal }) =>
      fetchNative(chain, ref, (view, height) => view.blockResults(height, signal)),
  }),
  publicMethod({
    name: 'cosmos_getTransaction',
    summary:
      'Gives a native transaction with its result by its own hash or by that of an Ethereum one in it, or null.',
    params: [param('hash', NativeHash, 'Hash of either kind.')],
    result: { name: 'transaction', type: NativeTransaction },
    examples: [{ name: 'a transfer', params: [transactionHash], result: transactionSample }],
    handler: async ([hash], { chain }, { signal }) =>
      toRawJson(await requireCosmosView(chain).transaction(await toNative(chain, hash, signal), signal)),
  }),
]
