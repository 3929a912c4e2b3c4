import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { param } from '../../rpc/method.ts'
import { findInPool, mapMaybePromise, readBlock, toHashRef, toIndex } from '../answers/lookup.ts'
import { servedMethod } from '../method.ts'
import { BlockNumber } from '../wire/block.ts'
import { Data, Hash } from '../wire/data.ts'
import { blockHash, rawTransaction, transactionHash } from '../wire/exampleValues.ts'
import { Uint64 } from '../wire/quantity.ts'

const index = param('index', Uint64, 'Position in the block, from 0.')
const raw = { name: 'raw', type: Data }

/** Returns the encoding of a transaction in a block or in the pool; no bytes if there is none, as in geth. */
export const findRawTransaction = ({ blocks, pool }: Chain, hash: Uint8Array): MaybePromise<Uint8Array> => {
  const location = blocks.locate(hash)
  return (
    (location && blocks.transactionRlp(location)) ??
    mapMaybePromise(findInPool(pool, hash), (pooled) => pooled?.raw ?? emptyBytes)
  )
}

const readAt = (chain: Chain, ref: BlockRef, position: bigint) =>
  orNoBytes(
    readBlock(
      chain,
      ref,
      (number) => chain.blocks.transactionRlp({ number, index: toIndex(position) }),
      (pending) => pending.transactionRlp(toIndex(position)),
    ),
  )

/** Returns no bytes for an encoding that there is not, as geth does. */
export const orNoBytes = (found: MaybePromise<Uint8Array | null>): MaybePromise<Uint8Array> =>
  mapMaybePromise(found, (bytes) => bytes ?? emptyBytes)

/** The methods for transactions in their signed encoding (EIP-2718). */
export const rawTransactionMethods = [
  servedMethod({
    name: 'eth_getRawTransactionByHash',
    summary:
      'Gives a transaction, in a block or still waiting, as it was signed; no bytes where it is unknown.',
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [param('transactionHash', Hash, 'Hash of the transaction.')],
    result: raw,
    examples: [{ name: 'a transfer', params: [transactionHash], result: rawTransaction }],
    handler: ([wanted], { chain }) => findRawTransaction(chain, wanted),
  }),
  servedMethod({
    name: 'eth_getRawTransactionByBlockHashAndIndex',
    summary:
      'Gives the transaction at a position of the block with a hash as it was signed; no bytes where there is none.',
    belowFork: { kind: 'block', param: 'blockHash', answer: 'item' },
    params: [param('blockHash', Hash, 'Hash of the block.'), index],
    result: raw,
    examples: [{ name: 'the first', params: [blockHash, '0x0'], result: rawTransaction }],
    handler: ([block, position], { chain }) => readAt(chain, toHashRef(block), position),
  }),
  servedMethod({
    name: 'eth_getRawTransactionByBlockNumberAndIndex',
    summary:
      'Gives the transaction at a position of the block at a height as it was signed; no bytes where there is none.',
    belowFork: { kind: 'block', param: 'block', answer: 'item' },
    params: [param('block', BlockNumber, 'Height or tag of the block.'), index],
    result: raw,
    examples: [{ name: 'the first', params: ['0x1', '0x0'], result: rawTransaction }],
    handler: ([block, position], { chain }) => readAt(chain, block, position),
  }),
]
