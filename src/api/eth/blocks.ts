import { param } from '../../rpc/method.ts'
import { method } from '../method.ts'
import { block, blockHash } from '../samples.ts'
import { notYet } from '../unsupported.ts'
import { Flag } from '../wire/basic.ts'
import { BlockNumber } from '../wire/block.ts'
import { Hash } from '../wire/data.ts'
import { Uint64 } from '../wire/quantity.ts'
import { BlockOrNull, CountOrNull } from '../wire/results.ts'

const number = param('block', BlockNumber, 'Height or tag of the block.')
const hash = param('blockHash', Hash, 'Hash of the block.')
const full = param('full', Flag, 'true for whole transactions, false for their hashes.')
const uncleIndex = param('index', Uint64, 'Position among the uncles, from 0.')

export const blockMethods = [
  method({
    name: 'eth_blockNumber',
    summary: 'Gives the height of the newest block.',
    access: 'public',
    params: [],
    result: { name: 'number', type: Uint64 },
    examples: [{ name: 'one block after genesis', params: [], result: '0x1' }],
    handler: notYet,
  }),
  method({
    name: 'eth_getBlockByNumber',
    summary: 'Gives the block at a height, or null where there is none.',
    access: 'public',
    params: [number, full],
    result: { name: 'block', type: BlockOrNull },
    examples: [
      { name: 'with hashes', params: ['0x1', false], result: block },
      { name: 'above the head', params: ['0xffffff', false], result: null },
    ],
    handler: notYet,
  }),
  method({
    name: 'eth_getBlockByHash',
    summary: 'Gives the block with a hash, or null where there is none.',
    access: 'public',
    params: [hash, full],
    result: { name: 'block', type: BlockOrNull },
    examples: [{ name: 'with hashes', params: [blockHash, false], result: block }],
    handler: notYet,
  }),
  method({
    name: 'eth_getBlockTransactionCountByNumber',
    summary: 'Counts the transactions of the block at a height; null for an unknown block.',
    access: 'public',
    params: [number],
    result: { name: 'count', type: CountOrNull },
    examples: [{ name: 'one transaction', params: ['latest'], result: '0x1' }],
    handler: notYet,
  }),
  method({
    name: 'eth_getBlockTransactionCountByHash',
    summary: 'Counts the transactions of the block with a hash; null for an unknown block.',
    access: 'public',
    params: [hash],
    result: { name: 'count', type: CountOrNull },
    examples: [{ name: 'one transaction', params: [blockHash], result: '0x1' }],
    handler: notYet,
  }),
  method({
    name: 'eth_getUncleCountByBlockHash',
    summary: 'Counts the uncles of a block: zero but for blocks of an imported proof-of-work chain.',
    access: 'public',
    params: [hash],
    result: { name: 'count', type: CountOrNull },
    examples: [{ name: 'none', params: [blockHash], result: '0x0' }],
    handler: notYet,
  }),
  method({
    name: 'eth_getUncleCountByBlockNumber',
    summary: 'Counts the uncles of the block at a height: zero but for an imported proof-of-work chain.',
    access: 'public',
    params: [number],
    result: { name: 'count', type: CountOrNull },
    examples: [{ name: 'none', params: ['0x1'], result: '0x0' }],
    handler: notYet,
  }),
  method({
    name: 'eth_getUncleByBlockHashAndIndex',
    summary: 'Gives an uncle of a block, or null where it has none at that position.',
    access: 'public',
    params: [hash, uncleIndex],
    result: { name: 'uncle', type: BlockOrNull },
    examples: [{ name: 'none', params: [blockHash, '0x0'], result: null }],
    handler: notYet,
  }),
  method({
    name: 'eth_getUncleByBlockNumberAndIndex',
    summary: 'Gives an uncle of the block at a height, or null where it has none at that position.',
    access: 'public',
    params: [number, uncleIndex],
    result: { name: 'uncle', type: BlockOrNull },
    examples: [{ name: 'none', params: ['0x1', '0x0'], result: null }],
    handler: notYet,
  }),
]
