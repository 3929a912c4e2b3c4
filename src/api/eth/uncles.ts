import { toQuantity } from '../../base/encoding/hex.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { param } from '../../rpc/method.ts'
import { asJson, readBlock, toHashRef, toIndex } from '../answers/lookup.ts'
import { servedMethod } from '../method.ts'
import { BlockNumber } from '../wire/block.ts'
import { Hash } from '../wire/data.ts'
import { blockHash } from '../wire/exampleValues.ts'
import { Uint64 } from '../wire/quantity.ts'
import { CountOrNull, UncleOrNull } from '../wire/results.ts'

const number = param('block', BlockNumber, 'Height or tag of the block.')
const hash = param('blockHash', Hash, 'Hash of the block.')
const index = param('index', Uint64, 'Position among the uncles, from 0.')

const countUncles = (chain: Chain, ref: BlockRef) =>
  readBlock(
    chain,
    ref,
    (height) => {
      const count = chain.blocks.ommerCount(height)
      return count === undefined ? undefined : toQuantity(count)
    },
    () => '0x0',
  )

const readUncle = (chain: Chain, ref: BlockRef, position: bigint) =>
  readBlock(
    chain,
    ref,
    (height) => asJson(chain.blocks.ommerJson(height, toIndex(position))),
    () => undefined,
  )

/** The methods for uncles. Only blocks of an imported proof-of-work chain have them. */
export const uncleMethods = [
  servedMethod({
    name: 'eth_getUncleCountByBlockHash',
    summary: 'Counts the uncles of a block: zero but for blocks of an imported proof-of-work chain.',
    belowFork: { kind: 'block', param: 'blockHash' },
    params: [hash],
    result: { name: 'count', type: CountOrNull },
    examples: [{ name: 'none', params: [blockHash], result: '0x0' }],
    handler: ([wanted], { chain }) => countUncles(chain, toHashRef(wanted)),
  }),
  servedMethod({
    name: 'eth_getUncleCountByBlockNumber',
    summary: 'Counts the uncles of the block at a height: zero but for an imported proof-of-work chain.',
    belowFork: { kind: 'block', param: 'block' },
    params: [number],
    result: { name: 'count', type: CountOrNull },
    examples: [{ name: 'none', params: ['0x1'], result: '0x0' }],
    handler: ([ref], { chain }) => countUncles(chain, ref),
  }),
  servedMethod({
    name: 'eth_getUncleByBlockHashAndIndex',
    summary: 'Gives an uncle of a block, or null where it has none at that position.',
    belowFork: { kind: 'block', param: 'blockHash', answer: 'item' },
    params: [hash, index],
    result: { name: 'uncle', type: UncleOrNull },
    examples: [{ name: 'none', params: [blockHash, '0x0'], result: null }],
    handler: ([wanted, position], { chain }) => readUncle(chain, toHashRef(wanted), position),
  }),
  servedMethod({
    name: 'eth_getUncleByBlockNumberAndIndex',
    summary: 'Gives an uncle of the block at a height, or null where it has none at that position.',
    belowFork: { kind: 'block', param: 'block', answer: 'item' },
    params: [number, index],
    result: { name: 'uncle', type: UncleOrNull },
    examples: [{ name: 'none', params: ['0x1', '0x0'], result: null }],
    handler: ([ref, position], { chain }) => readUncle(chain, ref, position),
  }),
]
