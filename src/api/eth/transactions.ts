import { transactionJson } from '../../chain/json/transactionJson.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { PoolTransaction } from '../../chain/port/pool.ts'
import { param } from '../../rpc/method.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import {
  asJson,
  findInPool,
  mapMaybePromise,
  readBlock,
  textAsJson,
  toHashRef,
  toIndex,
} from '../answers/lookup.ts'
import { servedMethod } from '../method.ts'
import { BlockNumber } from '../wire/block.ts'
import { Address, Hash } from '../wire/data.ts'
import { alice, blockHash, receipt, transaction, transactionHash } from '../wire/exampleValues.ts'
import { Uint64 } from '../wire/quantity.ts'
import { ReceiptOrNull, TransactionOrNull } from '../wire/results.ts'

const hash = param('transactionHash', Hash, 'Hash of the transaction.')
const index = param('index', Uint64, 'Position in the block, from 0.')
const atHeight = [param('block', BlockNumber, 'Height or tag of the block.'), index] as const
const found = { name: 'transaction', type: TransactionOrNull }

/** Returns the JSON of a transaction of the pool; null if there is none. */
const toPooledJson = (pooled: PoolTransaction | undefined): RawJson | null =>
  pooled === undefined ? null : textAsJson(transactionJson({ ...pooled, inclusion: undefined }))

const readAt = (chain: Chain, ref: BlockRef, position: bigint) =>
  readBlock(
    chain,
    ref,
    (number) => asJson(chain.blocks.transactionJson({ number, index: toIndex(position) })),
    (pending) => asJson(pending.transactionJson(toIndex(position))),
  )

const findPooled = ({ pool }: Chain, sender: Uint8Array, nonce: bigint): PoolTransaction | undefined => {
  const { pending, queued } = pool.contentOf(sender)
  return [...pending, ...queued].find(({ transaction }) => transaction.nonce === nonce)
}

export const transactionMethods = [
  servedMethod({
    name: 'eth_getTransactionByHash',
    summary: 'Gives a transaction, in a block or still waiting; null where it is unknown.',
    belowFork: { kind: 'transaction', param: 'transactionHash', answer: 'transaction' },
    params: [hash],
    result: found,
    examples: [{ name: 'a transfer', params: [transactionHash], result: transaction }],
    handler: ([wanted], { chain: { blocks, pool } }) => {
      const location = blocks.locate(wanted)
      const included = location && asJson(blocks.transactionJson(location))
      return included ?? mapMaybePromise(findInPool(pool, wanted), toPooledJson)
    },
  }),
  servedMethod({
    name: 'eth_getTransactionByBlockHashAndIndex',
    summary: 'Gives the transaction at a position of the block with a hash, or null.',
    belowFork: { kind: 'block', param: 'blockHash', answer: 'item' },
    params: [param('blockHash', Hash, 'Hash of the block.'), index],
    result: found,
    examples: [{ name: 'the first', params: [blockHash, '0x0'], result: transaction }],
    handler: ([block, position], { chain }) => readAt(chain, toHashRef(block), position),
  }),
  servedMethod({
    name: 'eth_getTransactionByBlockNumberAndIndex',
    summary: 'Gives the transaction at a position of the block at a height, or null.',
    belowFork: { kind: 'block', param: 'block', answer: 'item' },
    params: atHeight,
    result: found,
    examples: [{ name: 'the first', params: ['0x1', '0x0'], result: transaction }],
    handler: ([block, position], { chain }) => readAt(chain, block, position),
  }),
  servedMethod({
    name: 'eth_getTransactionbyBlockNumberAndIndex',
    summary: 'The same as eth_getTransactionByBlockNumberAndIndex, under the spelling of the specification.',
    belowFork: { kind: 'block', param: 'block', answer: 'item' },
    params: atHeight,
    result: found,
    examples: [{ name: 'the first', params: ['0x1', '0x0'], result: transaction }],
    handler: ([block, position], { chain }) => readAt(chain, block, position),
  }),
  servedMethod({
    name: 'eth_getTransactionBySenderAndNonce',
    summary: 'Gives the transaction of a sender with a nonce, in a block or still waiting, or null.',
    params: [
      param('sender', Address, 'Who sent it.'),
      param('nonce', Uint64, 'How many the sender had sent before it.'),
    ],
    result: found,
    examples: [{ name: 'a transfer', params: [alice, '0x0'], result: transaction }],
    handler: ([sender, nonce], { chain }) => {
      const location = chain.blocks.locateBySender(sender, nonce)
      return (
        (location && asJson(chain.blocks.transactionJson(location))) ??
        toPooledJson(findPooled(chain, sender, nonce))
      )
    },
  }),
  servedMethod({
    name: 'eth_getTransactionReceipt',
    summary: 'Gives what came of a transaction once it is in a block; null before.',
    belowFork: { kind: 'transaction', param: 'transactionHash', answer: 'transaction' },
    params: [hash],
    result: { name: 'receipt', type: ReceiptOrNull },
    examples: [{ name: 'a transfer', params: [transactionHash], result: receipt }],
    handler: ([wanted], { chain: { blocks } }) => {
      const location = blocks.locate(wanted)
      return (location && asJson(blocks.receiptJson(location))) ?? null
    },
  }),
]
