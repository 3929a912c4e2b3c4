import { addresses } from '../traces/contracts.ts'
import { tracers } from '../traces/tracers.ts'
import type { ChainFacts } from './chainFacts.ts'
import type { Question } from './question.ts'
import { blockRefs, hashValues, heights, quantities, storing, unknownHash, word } from './values.ts'

/** Questions for traces, fees, the pool and the node, and calls with parameters that are missing or too many. */

/** The names that geth's own tracers have. */
export const tracerNames = [
  ...['callTracer', 'flatCallTracer', 'prestateTracer', '4byteTracer', 'noopTracer', 'opcountTracer'],
  ...['keccak256PreimageTracer', 'erc7562Tracer', 'unigramTracer', 'bigramTracer', 'trigramTracer'],
  ...['evmdisTracer', 'callTracerLegacy', 'prestateTracerLegacy', '4byteTracerLegacy', 'noopTracerLegacy'],
] as const

const configs: readonly unknown[] = [
  null,
  {},
  { tracer: '' },
  { tracer: 'nothingTracer' },
  { tracer: 'calltracer' },
  { tracer: 1 },
  { tracer: 'callTracer', tracerConfig: null },
  { tracer: 'callTracer', tracerConfig: { onlyTopCall: 1 } },
  { tracer: 'callTracer', tracerConfig: { other: 1 } },
  { tracer: 'callTracer', tracerConfig: [] },
  { tracer: 'callTracer', timeout: '10s' },
  { tracer: 'callTracer', timeout: '10' },
  { tracer: 'callTracer', timeout: 'soon' },
  { tracer: 'muxTracer', tracerConfig: { callTracer: {}, nothingTracer: {} } },
  { tracer: 'muxTracer' },
  { tracer: '{result: function() { return 1 }}' },
  { tracer: '{result: function() { return 1 }, fault: function() {}}' },
  { tracer: '{' },
  { limit: 3 },
  { limit: -1 },
  { limit: '3' },
  { disableStack: 1 },
  { reexec: 5 },
  { overrides: {} },
  'callTracer',
  [],
]

const traces = function* (facts: ChainFacts): Generator<Question> {
  const call = { from: facts.sender, to: storing, gas: '0x30d40' }
  for (const tracer of tracerNames) {
    for (const hash of facts.transactions)
      yield { method: 'debug_traceTransaction', params: [hash, { tracer }] }
    for (const to of addresses.leaves)
      yield { method: 'debug_traceCall', params: [{ ...call, to, gas: '0xea60' }, 'latest', { tracer }] }
  }
  for (const config of [...configs, ...Object.values(tracers)]) {
    yield { method: 'debug_traceTransaction', params: [facts.transactions[1], config] }
    yield { method: 'debug_traceCall', params: [call, 'latest', config] }
    yield { method: 'debug_traceBlockByNumber', params: ['0x1', config] }
  }
  for (const hash of hashValues(facts)) {
    yield { method: 'debug_traceTransaction', params: [hash, { tracer: 'callTracer' }] }
    yield { method: 'debug_traceBlockByHash', params: [hash, { tracer: 'callTracer' }] }
    yield { method: 'debug_intermediateRoots', params: [hash] }
    yield { method: 'debug_standardTraceBadBlockToFile', params: [hash] }
  }
  for (const height of heights(facts))
    yield { method: 'debug_traceBlockByNumber', params: [height, { tracer: 'noopTracer' }] }
  for (const rlp of ['0x', '0x00', '0xc0', 'x', null]) yield { method: 'debug_traceBlock', params: [rlp] }
  for (const txIndex of ['0x0', '0x1', '0x99', 0, 'x', null])
    yield { method: 'debug_traceCall', params: [call, '0x10', { tracer: 'callTracer', txIndex }] }
  yield { method: 'debug_traceBadBlock', params: [unknownHash] }
  yield { method: 'debug_getBadBlocks', params: [] }
}

const fees = function* (facts: ChainFacts): Generator<Question> {
  for (const count of [...quantities, 0, 2, 4, 1024, 1025, '0x4', '0x400'])
    yield { method: 'eth_feeHistory', params: [count, 'latest', []] }
  for (const ref of blockRefs(facts)) yield { method: 'eth_feeHistory', params: ['0x3', ref, [10, 50]] }
  for (const rewards of [
    null,
    [],
    [0],
    [100],
    [101],
    [-1],
    [50, 10],
    [50, 50],
    ['50'],
    [1.5],
    50,
    Array(101).fill(1),
  ])
    yield { method: 'eth_feeHistory', params: ['0x4', '0x10', rewards] }
  for (const count of ['0x1', '0x5', '0x48'])
    yield { method: 'eth_feeHistory', params: [count, 'latest', [0, 25, 99.9]] }
  for (const method of ['eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_blobBaseFee', 'eth_baseFee'])
    yield { method, params: [] }
}

const sending = function* (facts: ChainFacts): Generator<Question> {
  const mined = facts.transactions[0] as string
  for (const raw of [
    '0x',
    '0x00',
    '0x02',
    '0x02c0',
    '0xc0',
    '0x05c0',
    '0x7fc0',
    mined,
    '0x1',
    'x',
    null,
    1,
  ]) {
    yield { method: 'eth_sendRawTransaction', params: [raw] }
    yield { method: 'eth_sendRawTransactionSync', params: [raw] }
  }
  for (const method of ['txpool_status', 'txpool_content', 'txpool_inspect', 'eth_pendingTransactions'])
    yield { method, params: [] }
  const call = { from: facts.sender, to: storing, maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x1' }
  for (const more of [
    {},
    { gas: '0x30d40' },
    { nonce: '0x5' },
    { value: '0x1' },
    { data: '0x00', input: '0x01' },
  ])
    yield { method: 'eth_fillTransaction', params: [{ ...call, ...more }] }
  for (const method of ['eth_sendTransaction', 'eth_signTransaction'])
    for (const request of [call, {}, { ...call, gas: '0x30d40', nonce: '0x1' }, null])
      yield { method, params: [request] }
  for (const params of [[facts.sender, '0x01'], [storing, '0x'], ['0x1', '0x'], []])
    yield { method: 'eth_sign', params }
}

const node = function* (): Generator<Question> {
  for (const method of [
    ...['eth_chainId', 'eth_blockNumber', 'eth_syncing', 'eth_accounts', 'net_version', 'net_listening'],
    ...[
      'net_peerCount',
      'web3_clientVersion',
      'rpc_modules',
      'eth_config',
      'eth_capabilities',
      'eth_coinbase',
    ],
    ...[
      'eth_mining',
      'eth_hashrate',
      'eth_getWork',
      'eth_protocolVersion',
      'eth_getCompilers',
      'eth_nothing',
      'nothing',
    ],
    ...[
      'personal_listAccounts',
      'admin_nodeInfo',
      'eth_subscribe',
      'eth_unsubscribe',
      'web3_nothing',
      'debug_nothing',
    ],
  ])
    yield { method, params: [] }
  for (const data of ['0x', '0x00', '0x1', 'x', null, 1, word(1)])
    yield { method: 'web3_sha3', params: [data] }
  for (const subject of ['newHeads', 'logs', 'nothing', null])
    yield { method: 'eth_subscribe', params: [subject] }
}

const counted = [
  ...['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount', 'eth_getStorageAt', 'eth_getProof'],
  ...['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getBlockReceipts', 'eth_getTransactionByHash'],
  ...[
    'eth_getTransactionReceipt',
    'eth_getLogs',
    'eth_feeHistory',
    'eth_simulateV1',
    'eth_sendRawTransaction',
  ],
  ...['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'web3_sha3', 'net_version', 'debug_traceTransaction'],
  ...[
    'debug_getRawBlock',
    'debug_accountRange',
    'debug_storageRangeAt',
    'eth_getFilterChanges',
    'txpool_contentFrom',
  ],
]

const counts = function* (): Generator<Question> {
  for (const method of counted) {
    yield { method, params: [] }
    yield { method, params: [null] }
    yield { method, params: [null, null, null, null, null, null, null, null] }
    yield { method, params: ['0x', '0x', '0x', '0x', '0x', '0x', '0x', '0x'] }
  }
}

export const otherQuestions = function* (facts: ChainFacts): Generator<Question> {
  yield* traces(facts)
  yield* fees(facts)
  yield* sending(facts)
  yield* node()
  yield* counts()
}
