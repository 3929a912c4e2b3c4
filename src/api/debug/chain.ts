import { z } from 'zod'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed } from '../../rpc/errors.ts'
import { param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { nothing } from '../answers/done.ts'
import { assertNotPruned, readBlock } from '../answers/lookup.ts'
import { findRawTransaction, orNoBytes } from '../eth/rawTransactions.ts'
import { privateMethod, publicMethod, servedMethod } from '../method.ts'
import { notSupported } from '../unsupported/unsupported.ts'
import { describedObject, Text } from '../wire/basic.ts'
import { Block, BlockNumberOrInteger } from '../wire/block.ts'
import { Bytes32, Data, DataListOrNull, Hash } from '../wire/data.ts'
import { blockRlp, headerRlp, rawTransaction, receiptRlp, transactionHash } from '../wire/exampleValues.ts'
import { Uint64 } from '../wire/quantity.ts'

const number = param('number', BlockNumberOrInteger, 'Height or tag of the block.')
const block = param('block', Block, 'Height, tag or hash of the block.')

/** Reads an encoding of a block; the pending block has none yet. */
const readEncoded = <R>(chain: Chain, ref: BlockRef, read: (height: number) => R | undefined) =>
  readBlock(chain, ref, read, () => undefined)

/** Does the same for methods for which geth returns an error instead of null. */
const requireEncoded = <R>(chain: Chain, ref: BlockRef, read: (height: number) => R | undefined): R => {
  const height = chain.blocks.resolve(ref)
  const found = typeof height === 'number' ? (read(height) ?? assertNotPruned(chain, height)) : undefined
  if (found !== undefined) return found
  throw callFailed(`block #${ref.kind === 'number' ? ref.number : height} not found`)
}

export const debugChainMethods = [
  servedMethod({
    name: 'debug_getRawHeader',
    summary: 'Gives the header of a block in RLP; no bytes where there is none.',
    belowFork: { kind: 'block', param: 'block' },
    params: [block],
    result: { name: 'rlp', type: Data },
    examples: [{ name: 'the first after genesis', params: ['0x1'], result: headerRlp }],
    handler: ([ref], { chain }) =>
      orNoBytes(readEncoded(chain, ref, (height) => chain.blocks.headerRlp(height))),
  }),
  servedMethod({
    name: 'debug_getRawBlock',
    summary: 'Gives a block in RLP; no bytes where there is none.',
    belowFork: { kind: 'block', param: 'block' },
    params: [block],
    result: { name: 'rlp', type: Data },
    examples: [{ name: 'the first after genesis', params: ['0x1'], result: blockRlp }],
    handler: ([ref], { chain }) =>
      orNoBytes(readEncoded(chain, ref, (height) => chain.blocks.blockRlp(height))),
  }),
  servedMethod({
    name: 'debug_getRawReceipts',
    summary: 'Gives the receipts of a block as its root commits to them, or null where there is none.',
    work: 'state',
    belowFork: { kind: 'block', param: 'block' },
    params: [block],
    result: { name: 'receipts', type: DataListOrNull },
    examples: [{ name: 'of one transfer', params: ['0x1'], result: [receiptRlp] }],
    handler: ([ref], { chain }) => readEncoded(chain, ref, (height) => chain.blocks.receiptsRlp(height)),
  }),
  servedMethod({
    name: 'debug_getRawTransaction',
    summary:
      'Gives a transaction, in a block or still waiting, as it was signed; no bytes where it is unknown.',
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [param('transactionHash', Hash, 'Hash of the transaction.')],
    result: { name: 'raw', type: Data },
    examples: [{ name: 'a transfer', params: [transactionHash], result: rawTransaction }],
    handler: ([wanted], { chain }) => findRawTransaction(chain, wanted),
  }),
  servedMethod({
    name: 'debug_getBlockRlp',
    summary: 'Gives the block at a height in RLP; an error where there is none.',
    belowFork: { kind: 'block', param: 'number' },
    params: [number],
    result: { name: 'rlp', type: Data },
    examples: [{ name: 'the first after genesis', params: [1], result: blockRlp }],
    handler: ([ref], { chain }) => requireEncoded(chain, ref, (height) => chain.blocks.blockRlp(height)),
  }),
  publicMethod({
    name: 'debug_printBlock',
    summary: 'Gives the block at a height as text for people; an error where there is none.',
    work: 'state',
    params: [number],
    result: { name: 'text', type: Text },
    examples: [],
    handler: ([ref], { chain }) => {
      const json = requireEncoded(chain, ref, (height) => chain.blocks.blockJson(height, true))
      return JSON.stringify(JSON.parse(Buffer.from(json).toString()), undefined, 2)
    },
  }),
  publicMethod({
    name: 'debug_getBadBlocks',
    summary: 'Lists rejected blocks: always empty, because decided blocks are valid.',
    params: [],
    result: { name: 'blocks', type: plainType(z.array(describedObject('A block and its hash').schema)) },
    examples: [{ name: 'none', params: [], result: [] }],
    handler: () => [],
  }),
  privateMethod({
    name: 'debug_setHead',
    summary: 'Moves the head back to a height; what came after is gone.',
    params: [param('number', Uint64, 'The height that becomes the head.')],
    result: nothing,
    examples: [{ name: 'back to genesis', params: ['0x0'], result: null }],
    handler: async ([height], { chain }) => {
      if (height > BigInt(chain.head().number)) throw callFailed(`block #${height} not found`)
      await chain.control.setHead(Number(height))
    },
  }),
  publicMethod({
    name: 'debug_seedHash',
    summary: 'Not supported: seeds belong to proof of work.',
    params: [number],
    result: { name: 'seed', type: Bytes32 },
    examples: [],
    handler: notSupported(
      'there is no proof of work here, so no block has an ethash seed; nothing takes its place',
    ),
  }),
]
