import { z } from 'zod'
import { toHex } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed, limitExceeded, unsupported } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { nothing } from '../answers/done.ts'
import { toHashRef } from '../answers/lookup.ts'
import { privateMethod, publicMethod } from '../method.ts'
import { defineUnsupported } from '../unsupported/defineUnsupported.ts'
import { AnyJson } from '../wire/basic.ts'
import { BlockNumberOrInteger } from '../wire/block.ts'
import { Data, Hash } from '../wire/data.ts'
import { alice, blockHash, bob, coinbase, rawTransaction, transactionHash } from '../wire/exampleValues.ts'
import { Addresses } from '../wire/results.ts'
import { TraceConfig } from '../wire/trace.ts'

/** The methods of geth about its database, and what of them has a meaning here. */

const accounts = { name: 'accounts', type: Addresses }

/** The most blocks whose changes are listed at once. */
const maxBlocks = 1_000

/** Returns the accounts that blocks changed: those after `start` up to `end`, or those of `start` alone. */
const readModified = (chain: Chain, start: number, end: number | undefined) => {
  const [from, to] = end === undefined ? [start - 1, start] : [start, end]
  if (from < 0) throw callFailed('the genesis block has no parent')
  if (from >= to) throw callFailed(`start block height (${from}) must be less than end block height (${to})`)
  if (to - from > maxBlocks)
    throw limitExceeded(`the range has ${to - from} blocks, at most ${maxBlocks} are searched`, {
      limit: maxBlocks,
    })
  if (chain.changedAccounts === undefined)
    throw unsupported('the chain behind this gateway does not tell which accounts a block changed')
  return chain.changedAccounts(from, to).map(toHex)
}

const numberOf = (chain: Chain, ref: Parameters<Chain['blocks']['resolve']>[0], name: string): number => {
  const number = chain.blocks.resolve(ref)
  if (typeof number === 'number') return number
  throw callFailed(`${name} not found`)
}

/** Returns what has a hash: the encoding of a transaction, or of a header where hashes are those of headers. */
const findPreimage = ({ blocks }: Chain, hash: Uint8Array): Uint8Array | undefined => {
  const location = blocks.locate(hash)
  if (location !== undefined) return blocks.transactionRlp(location)
  const number = blocks.resolve(toHashRef(hash))
  return typeof number === 'number' ? blocks.headerRlp(number) : undefined
}

const lmdb =
  'the chain is kept in LMDB tables of this program, not in the key-value database of geth: `perihelion db stats` and `perihelion db check` tell of it'

export const debugDatabaseMethods = [
  publicMethod({
    name: 'debug_getModifiedAccountsByNumber',
    summary:
      'Lists the accounts that the blocks after the first up to the second changed; with one block, those that it changed.',
    work: 'state',
    params: [
      param('start', BlockNumberOrInteger, 'The block before the first.'),
      optionalParam('end', BlockNumberOrInteger, 'The last block.'),
    ],
    result: accounts,
    examples: [{ name: 'a transfer', params: [1], result: [bob, coinbase, alice] }],
    handler: ([start, end], { chain }) =>
      readModified(chain, numberOf(chain, start, 'start block'), end && numberOf(chain, end, 'end block')),
  }),
  publicMethod({
    name: 'debug_getModifiedAccountsByHash',
    summary:
      'Lists the accounts that the blocks after the first up to the second changed; with one block, those that it changed.',
    work: 'state',
    params: [
      param('start', Hash, 'Hash of the block before the first.'),
      optionalParam('end', Hash, 'Hash of the last block.'),
    ],
    result: accounts,
    examples: [{ name: 'a transfer', params: [blockHash], result: [bob, coinbase, alice] }],
    handler: ([start, end], { chain }) =>
      readModified(
        chain,
        numberOf(chain, toHashRef(start), 'start block'),
        end && numberOf(chain, toHashRef(end), 'end block'),
      ),
  }),
  publicMethod({
    name: 'debug_preimage',
    summary: 'Gives the bytes with a hash, as far as they are a transaction or a header; an error otherwise.',
    params: [param('hash', Hash, 'The hash.')],
    result: { name: 'preimage', type: Data },
    examples: [{ name: 'a transaction', params: [transactionHash], result: rawTransaction }],
    handler: ([hash], { chain }) => {
      const found = findPreimage(chain, hash)
      if (found === undefined) throw callFailed('unknown preimage')
      return found
    },
  }),
  publicMethod({
    name: 'debug_getAccessibleState',
    summary: 'Gives the first block from one to another, in either direction, whose state is kept.',
    params: [
      param('from', BlockNumberOrInteger, 'The block to begin with.'),
      param('to', BlockNumberOrInteger, 'The block to end before.'),
    ],
    result: { name: 'number', type: plainType(z.int()) },
    examples: [{ name: 'all are kept', params: ['0x0', 'latest'], result: 0 }],
    handler: ([first, last], { chain }) => {
      const [from, to] = [numberOf(chain, first, 'block'), numberOf(chain, last, 'block')]
      if (from === to) throw callFailed('from and to needs to be different')
      const { oldestState } = chain.retention()
      // Of an archive all states are kept, of others those from the oldest to the head.
      const found = from < to ? Math.max(from, oldestState) : from
      const isInRange = from < to ? found < to : found > to
      if (!isInRange || found < oldestState) throw callFailed('no accessible state found')
      return found
    },
  }),
  publicMethod({
    name: 'debug_traceBadBlock',
    summary: 'Traces a rejected block; this node keeps none.',
    params: [
      param('blockHash', Hash, 'Hash of the block.'),
      optionalParam('config', TraceConfig, 'The tracer and its settings.'),
    ],
    result: { name: 'traces', type: AnyJson },
    examples: [],
    handler: () => {
      throw callFailed('bad block not found')
    },
  }),
  privateMethod({
    name: 'debug_clearTxpool',
    summary: 'Removes all transactions from the pool.',
    params: [],
    result: nothing,
    examples: [{ name: 'cleared', params: [], result: null }],
    handler: (_, { chain: { pool } }) => {
      if (pool.clear === undefined)
        throw unsupported('what a gateway has sent is with the nodes of the chain and cannot be removed')
      pool.clear()
    },
  }),
  defineUnsupported('debug_dbGet', 'reads a row of the database', lmdb, ['key']),
  defineUnsupported('debug_dbAncient', 'reads a row of the ancient database', lmdb, ['kind', 'number']),
  defineUnsupported('debug_dbAncients', 'counts the rows of the ancient database', lmdb),
  defineUnsupported('debug_chaindbProperty', 'gives statistics of the database', lmdb, ['property']),
  defineUnsupported(
    'debug_chaindbCompact',
    'compacts the database',
    'LMDB uses the pages of deleted rows again and needs no compaction: the next block finds them',
  ),
  defineUnsupported(
    'debug_setMemoryLimit',
    'sets a soft limit of the heap',
    'the heap of this program is limited at its start (NODE_OPTIONS=--max-old-space-size=…); json-rpc.request-memory limits what is under way',
    ['limit'],
  ),
]
