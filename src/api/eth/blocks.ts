import { toQuantity } from '../../base/encoding/hex.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { type Param, param } from '../../rpc/method.ts'
import { asJson, readBlock, toHashRef } from '../answers/lookup.ts'
import { servedMethod } from '../method.ts'
import { Flag } from '../wire/basic.ts'
import { Block, BlockNumber } from '../wire/block.ts'
import { Hash } from '../wire/data.ts'
import { block, blockHash, header, receipt } from '../wire/exampleValues.ts'
import { Uint64 } from '../wire/quantity.ts'
import { BlockOrNull, CountOrNull, HeaderOrNull, ReceiptsOrNull } from '../wire/results.ts'

const number = param('block', BlockNumber, 'Height or tag of the block.')
const hash = param('blockHash', Hash, 'Hash of the block.')
const full = param('full', Flag, 'true for whole transactions, false for their hashes.')

const readWhole = (chain: Chain, ref: BlockRef, isFull: boolean) =>
  readBlock(
    chain,
    ref,
    (height) => asJson(chain.blocks.blockJson(height, isFull)),
    (pending) => asJson(pending.blockJson(isFull)),
  )

const readHeader = (chain: Chain, ref: BlockRef) =>
  readBlock(
    chain,
    ref,
    (height) => asJson(chain.blocks.headerJson(height)),
    (pending) => asJson(pending.headerJson()),
  )

export const readReceipts = (chain: Chain, ref: BlockRef) =>
  readBlock(
    chain,
    ref,
    (height) => asJson(chain.blocks.receiptsJson(height)),
    (pending) => asJson(pending.receiptsJson()),
  )

const countTransactions = (chain: Chain, ref: BlockRef) =>
  readBlock(
    chain,
    ref,
    (height) => {
      const count = chain.blocks.transactionCount(height)
      return count === undefined ? undefined : toQuantity(count)
    },
    ({ transactionCount }) => toQuantity(transactionCount),
  )

/** Returns the methods for headers, which Erigon has under names of its own too. */
export const headerMethods = (namespace: 'eth' | 'erigon', by: Param<BlockRef, true, 'block'>) => [
  servedMethod({
    name: `${namespace}_getHeaderByNumber`,
    summary: 'Gives the header of the block at a height, or null where there is none.',
    belowFork: { kind: 'block', param: 'block', answer: 'block' },
    params: [by],
    result: { name: 'header', type: HeaderOrNull },
    examples: [{ name: 'the first after genesis', params: ['0x1'], result: header }],
    handler: ([ref], { chain }) => readHeader(chain, ref),
  }),
  servedMethod({
    name: `${namespace}_getHeaderByHash`,
    summary: 'Gives the header of the block with a hash, or null where there is none.',
    belowFork: { kind: 'block', param: 'blockHash', answer: 'block' },
    params: [hash],
    result: { name: 'header', type: HeaderOrNull },
    examples: [{ name: 'the first after genesis', params: [blockHash], result: header }],
    handler: ([wanted], { chain }) => readHeader(chain, toHashRef(wanted)),
  }),
]

export const blockMethods = [
  servedMethod({
    name: 'eth_blockNumber',
    summary: 'Gives the height of the newest block.',
    params: [],
    result: { name: 'number', type: Uint64 },
    examples: [{ name: 'one block after genesis', params: [], result: '0x1' }],
    handler: (_, { chain }) => BigInt(chain.head().number),
  }),
  servedMethod({
    name: 'eth_getBlockByNumber',
    summary: 'Gives the block at a height, or null where there is none.',
    belowFork: { kind: 'block', param: 'block', answer: 'block' },
    params: [number, full],
    result: { name: 'block', type: BlockOrNull },
    examples: [
      { name: 'with hashes', params: ['0x1', false], result: block },
      { name: 'above the head', params: ['0xffffff', false], result: null },
    ],
    handler: ([ref, isFull], { chain }) => readWhole(chain, ref, isFull),
  }),
  servedMethod({
    name: 'eth_getBlockByHash',
    summary: 'Gives the block with a hash, or null where there is none.',
    belowFork: { kind: 'block', param: 'blockHash', answer: 'block' },
    params: [hash, full],
    result: { name: 'block', type: BlockOrNull },
    examples: [{ name: 'with hashes', params: [blockHash, false], result: block }],
    handler: ([wanted, isFull], { chain }) => readWhole(chain, toHashRef(wanted), isFull),
  }),
  ...headerMethods('eth', number),
  servedMethod({
    name: 'eth_getBlockReceipts',
    summary: 'Gives the receipts of all transactions of a block, or null for an unknown block.',
    belowFork: { kind: 'block', param: 'block' },
    params: [param('block', Block, 'Height, tag or hash of the block.')],
    result: { name: 'receipts', type: ReceiptsOrNull },
    examples: [{ name: 'one transfer', params: ['0x1'], result: [receipt] }],
    handler: ([ref], { chain }) => readReceipts(chain, ref),
  }),
  servedMethod({
    name: 'eth_getBlockTransactionCountByNumber',
    summary: 'Counts the transactions of the block at a height; null for an unknown block.',
    belowFork: { kind: 'block', param: 'block' },
    params: [number],
    result: { name: 'count', type: CountOrNull },
    examples: [{ name: 'one transaction', params: ['latest'], result: '0x1' }],
    handler: ([ref], { chain }) => countTransactions(chain, ref),
  }),
  servedMethod({
    name: 'eth_getBlockTransactionCountByHash',
    summary: 'Counts the transactions of the block with a hash; null for an unknown block.',
    belowFork: { kind: 'block', param: 'blockHash' },
    params: [hash],
    result: { name: 'count', type: CountOrNull },
    examples: [{ name: 'one transaction', params: [blockHash], result: '0x1' }],
    handler: ([wanted], { chain }) => countTransactions(chain, toHashRef(wanted)),
  }),
]
