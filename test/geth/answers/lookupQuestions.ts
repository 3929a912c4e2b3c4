import type { ChainFacts } from './chainFacts.ts'
import type { Question } from './question.ts'
import {
  addressValues,
  blockRefs,
  hashValues,
  heights,
  quantities,
  storing,
  unknownAddress,
  unknownHash,
  word,
} from './values.ts'

/** Questions for blocks, transactions, receipts, state and logs. */

const byHeight = ['eth_getBlockTransactionCountByNumber', 'eth_getUncleCountByBlockNumber']
const byHash = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getRawTransactionByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getUncleCountByBlockHash',
  'debug_getRawTransaction',
]
const byRef = [
  'eth_getBlockReceipts',
  'debug_getRawHeader',
  'debug_getRawBlock',
  'debug_getRawReceipts',
  'debug_executionWitness',
]
const positions = ['eth_getTransactionBy', 'eth_getRawTransactionBy', 'eth_getUncleBy'] as const

const blocks = function* (facts: ChainFacts): Generator<Question> {
  for (const height of heights(facts)) {
    for (const method of byHeight) yield { method, params: [height] }
    for (const full of [true, false]) yield { method: 'eth_getBlockByNumber', params: [height, full] }
    for (const name of ['debug_printBlock', 'debug_dumpBlock']) yield { method: name, params: [height] }
  }
  for (const ref of blockRefs(facts)) for (const method of byRef) yield { method, params: [ref] }
  for (const hash of hashValues(facts)) {
    for (const method of byHash) yield { method, params: [hash] }
    for (const full of [true, false]) yield { method: 'eth_getBlockByHash', params: [hash, full] }
  }
  for (const full of [null, 1, 'true', {}]) yield { method: 'eth_getBlockByNumber', params: ['0x1', full] }
  for (const index of quantities)
    for (const start of positions) {
      yield { method: `${start}BlockNumberAndIndex`, params: ['0x1', index] }
      yield { method: `${start}BlockHashAndIndex`, params: [facts.blocks[1]?.hash, index] }
    }
  for (const start of positions) {
    yield { method: `${start}BlockNumberAndIndex`, params: ['0xffff', '0x0'] }
    yield { method: `${start}BlockHashAndIndex`, params: [unknownHash, '0x0'] }
  }
}

const state = function* (facts: ChainFacts): Generator<Question> {
  const simple = ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount']
  for (const who of addressValues(facts)) {
    for (const method of simple) yield { method, params: [who, 'latest'] }
    yield { method: 'eth_getStorageAt', params: [who, '0x5', 'latest'] }
    yield { method: 'eth_getProof', params: [who, ['0x5'], 'latest'] }
    yield { method: 'txpool_contentFrom', params: [who] }
    yield { method: 'eth_getStorageValues', params: [{ [String(who)]: ['0x5'] }, 'latest'] }
  }
  for (const ref of blockRefs(facts)) {
    for (const method of simple) yield { method, params: [facts.sender, ref] }
    yield { method: 'eth_getStorageAt', params: [storing, '0x5', ref] }
    yield { method: 'eth_getProof', params: [storing, [word(5)], ref] }
    yield { method: 'eth_getStorageValues', params: [{ [storing]: [word(5)] }, ref] }
    yield { method: 'debug_accountRange', params: [ref, '0x', 2, true, true, false] }
    yield { method: 'debug_storageRangeAt', params: [ref, 0, storing, '0x', 2] }
  }
  const keys = [...quantities, word(5), `0x${'0'.repeat(65)}`, '5', '05', `${word(5)}00`, 5]
  for (const key of keys) {
    yield { method: 'eth_getStorageAt', params: [storing, key, 'latest'] }
    yield { method: 'eth_getProof', params: [storing, [key], 'latest'] }
    yield { method: 'debug_storageRangeAt', params: [facts.head.hash, 0, storing, key, 2] }
    yield { method: 'debug_accountRange', params: ['latest', key, 1, true, true, false] }
  }
  for (const list of [[], null, 'x', {}, ['0x5', '0x6', '0x5'], [null]])
    for (const who of [storing, unknownAddress])
      yield { method: 'eth_getProof', params: [who, list, 'latest'] }
  for (const count of [0, 1, 3, 256, 257, -1, '0x1', 1.5, null]) {
    for (const flags of [[], [true, true, false], [false, false, false], [true, false, true]])
      yield { method: 'debug_accountRange', params: ['0x1', '0x', count, ...flags] }
    yield { method: 'debug_storageRangeAt', params: [facts.head.hash, count, storing, '0x', 2] }
    yield { method: 'debug_storageRangeAt', params: [facts.head.hash, 0, storing, '0x', count] }
  }
  for (const [first, last] of [['0x1'], ['0x1', '0x4'], ['0x4', '0x1'], [1], [1, 4], ['0xffff'], ['0x0']])
    yield {
      method: 'debug_getModifiedAccountsByNumber',
      params: [first, ...(last === undefined ? [] : [last])],
    }
  const [genesis, one, two] = facts.blocks
  for (const params of [
    [one?.hash],
    [one?.hash, two?.hash],
    [two?.hash, one?.hash],
    [genesis?.hash],
    [unknownHash],
  ])
    yield { method: 'debug_getModifiedAccountsByHash', params }
  for (const params of [
    [0, 4],
    [0, 0],
    [4, 0],
    ['0x0', '0x4'],
    [1, 9999],
  ])
    yield { method: 'debug_getAccessibleState', params }
}

const logs = function* (facts: ChainFacts): Generator<Question> {
  const { head, blocks: known } = facts
  const all = { fromBlock: '0x0', toBlock: 'latest' }
  for (const height of heights(facts)) {
    yield { method: 'eth_getLogs', params: [{ fromBlock: height }] }
    yield { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: height }] }
  }
  for (const hash of [...hashValues(facts), known[3]?.hash])
    yield { method: 'eth_getLogs', params: [{ blockHash: hash }] }
  for (const who of addressValues(facts)) {
    yield { method: 'eth_getLogs', params: [{ ...all, address: who }] }
    yield { method: 'eth_getLogs', params: [{ ...all, address: [who, storing] }] }
  }
  const topics = [
    [],
    [null],
    [word(1)],
    [[word(1), word(2)]],
    [null, word(2)],
    [[]],
    [[null]],
    [null, null, null, null, null],
    ['0x1'],
    [1],
    word(1),
    {},
    [[word(1), null], word(2)],
    [word(1), word(1), word(1), word(1), word(1)],
  ]
  for (const list of topics) yield { method: 'eth_getLogs', params: [{ ...all, topics: list }] }
  for (const filter of [
    {},
    null,
    'x',
    [],
    { blockHash: head.hash, fromBlock: '0x1' },
    { blockHash: head.hash, toBlock: '0x1' },
    { fromBlock: '0x5', toBlock: '0x1' },
    { fromBlock: 'latest', toBlock: 'earliest' },
    { fromBlock: 'pending' },
    { toBlock: 'pending' },
    { ...all, address: [] },
    { ...all, address: null, topics: null },
    { ...all, extra: 1 },
  ])
    yield { method: 'eth_getLogs', params: [filter] }
  for (const id of ['0x1', '0x0', 1, null, 'x'])
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'])
      yield { method, params: [id] }
}

export const lookupQuestions = function* (facts: ChainFacts): Generator<Question> {
  yield* blocks(facts)
  yield* state(facts)
  yield* logs(facts)
}
