import { z } from 'zod'
import { toHex } from '../../base/encoding/hex.ts'
import { isEthereumFork } from '../../chain/config/chainConfig.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { asJson, assertNotPruned, toHashRef } from '../answers/lookup.ts'
import { headerMethods, readReceipts } from '../eth/blocks.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { Flag } from '../wire/basic.ts'
import { BlockNumberOrInteger } from '../wire/block.ts'
import { Hash, hashText } from '../wire/data.ts'
import { block, blockHash, contract, log, receipt, transferTopic } from '../wire/exampleValues.ts'
import { Filter } from '../wire/filter.ts'
import { Uint64OrInteger, wholeNumber } from '../wire/quantity.ts'
import { BlockOrNull, Logs, log as logResult, ReceiptsOrNull } from '../wire/results.ts'
import { findLatestLogs, type LatestLogOptions } from './latestLogs.ts'

/** The methods of Erigon that explorers and indexers ask. */

const hash = param('blockHash', Hash, 'Hash of the block.')
const count = wholeNumber(0, Number.MAX_SAFE_INTEGER, 'a whole number').nullish()

const LatestOptions: WireType<LatestLogOptions> = inputType(
  z
    .object(
      {
        logCount: count.describe('The most logs; 1 where neither is given'),
        blockCount: count.describe('The most blocks with matches'),
        ignoreTopicsOrder: z.boolean().nullish().describe('Whether a topic may be at any position'),
      },
      { error: 'expected an object with logCount or blockCount' },
    )
    .meta({ id: 'LatestLogOptions', title: 'options of the search' })
    .transform(({ logCount, blockCount, ignoreTopicsOrder }) => ({
      logCount: logCount ?? 0,
      blockCount: blockCount ?? 0,
      ignoreTopicsOrder: ignoreTopicsOrder ?? false,
    })),
)

/**
 * Returns the newest block that is not younger than a time; the first block if all are younger. It may be one that is not
 * kept.
 */
const findByTime = (chain: Chain, time: bigint): number => {
  // A header that is not kept is older than all that are.
  const timeOf = (number: number): bigint => chain.blocks.header(number)?.timestamp ?? -1n
  const lowest = chain.blocks.header(0) === undefined ? 1 : 0
  let [first, last] = [lowest, chain.head().number]
  if (timeOf(last) <= time) return last
  // The first block whose time is not before the wanted one.
  while (first < last) {
    const middle = Math.floor((first + last) / 2)
    if (timeOf(middle) >= time) last = middle
    else first = middle + 1
  }
  return timeOf(first) > time ? Math.max(lowest, first - 1) : first
}

interface StoredReceipt {
  readonly logs: readonly z.output<typeof logResult>[]
}

/** Returns the logs of a block by transaction. */
const readLogs = (chain: Chain, wanted: Uint8Array) => {
  const number = chain.blocks.resolve(toHashRef(wanted))
  if (typeof number !== 'number') return null
  const text = chain.blocks.receiptsJson(number) ?? assertNotPruned(chain, number)
  if (text === undefined) return null
  const receipts = JSON.parse(Buffer.from(text).toString()) as readonly StoredReceipt[] // written by the store
  return receipts.map(({ logs }) => [...logs])
}

/** Returns the blocks and times at which rules changed or will, without those of the genesis. */
const readForks = ({ config, blocks }: Chain) => {
  const genesis = blocks.hash(0)
  if (genesis === undefined) throw callFailed('the genesis block is not known')
  const start = blocks.header(0)?.timestamp ?? 0n
  const listOf = (by: 'block' | 'time', after: bigint): number[] => {
    const values = config.activations
      .filter((each) => each.by === by && each.at > after && isEthereumFork(each))
      .map(({ at }) => Number(at))
    return [...new Set(values)].sort((a, b) => a - b)
  }
  return { genesis: toHex(genesis), heightForks: listOf('block', 0n), timeForks: listOf('time', start) }
}

export const erigonMethods = [
  publicMethod({
    name: 'erigon_forks',
    summary: 'Lists the blocks and the times at which the rules of the chain change.',
    params: [],
    result: {
      name: 'forks',
      type: plainType(
        z.object({ genesis: hashText, heightForks: z.array(z.int()), timeForks: z.array(z.int()) }),
      ),
    },
    examples: [
      {
        name: 'all of them at genesis',
        params: [],
        result: { genesis: blockHash, heightForks: [], timeForks: [] },
      },
    ],
    handler: (_, { chain }) => readForks(chain),
  }),
  ...headerMethods('erigon', param('block', BlockNumberOrInteger, 'Height or tag of the block.')),
  servedMethod({
    name: 'erigon_getBlockByTimestamp',
    summary: 'Gives the newest block that is not younger than a time; the first block if all are.',
    work: 'state',
    params: [
      param('timestamp', Uint64OrInteger, 'Seconds since 1970.'),
      optionalParam('full', Flag, 'true for whole transactions, false for their hashes.'),
    ],
    result: { name: 'block', type: BlockOrNull },
    examples: [{ name: 'the newest', params: ['0x7fffffff', false], result: block }],
    handler: ([time, full], { chain }) => {
      const number = findByTime(chain, time)
      return asJson(chain.blocks.blockJson(number, full ?? false)) ?? assertNotPruned(chain, number) ?? null
    },
  }),
  servedMethod({
    name: 'erigon_getBlockReceiptsByBlockHash',
    summary: 'Gives the receipts of the block with a hash, or null where there is none.',
    belowFork: { kind: 'block', param: 'blockHash' },
    params: [hash],
    result: { name: 'receipts', type: ReceiptsOrNull },
    examples: [{ name: 'one transfer', params: [blockHash], result: [receipt] }],
    handler: ([wanted], { chain }) => readReceipts(chain, toHashRef(wanted)),
  }),
  servedMethod({
    name: 'erigon_getLogsByHash',
    summary:
      'Gives the logs of the block with a hash, a list for each transaction; null where there is none.',
    work: 'state',
    belowFork: { kind: 'block', param: 'blockHash' },
    params: [hash],
    result: { name: 'logs', type: plainType(z.array(z.array(logResult)).nullable()) },
    examples: [{ name: 'a transfer has none', params: [blockHash], result: [[]] }],
    handler: ([wanted], { chain }) => readLogs(chain, wanted),
  }),
  servedMethod({
    name: 'erigon_getLatestLogs',
    summary: 'Gives the newest logs that match a filter, the newest first.',
    work: 'logs',
    params: [
      param('filter', Filter, 'Which blocks, contracts and topics.'),
      optionalParam('options', LatestOptions, 'How many; one log when missing.'),
    ],
    result: { name: 'logs', type: Logs },
    examples: [
      {
        name: 'the last transfer of a token',
        params: [{ fromBlock: 'earliest', address: contract, topics: [transferTopic] }, { logCount: 1 }],
        result: [log],
      },
    ],
    handler: ([filter, options], { chain, logSettings }, scope) => {
      const none = { logCount: 0, blockCount: 0, ignoreTopicsOrder: false }
      return findLatestLogs(chain, logSettings, filter, options ?? none, scope)
    },
  }),
]
