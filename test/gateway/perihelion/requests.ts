import { encodeFunctionData, type Hex } from 'viem'
import { toQuantity } from '../../../src/base/encoding/hex.ts'
import { compileTraffic } from '../../support/traffic/contract.ts'

/** What a chain holds that questions are about. */
export interface ChainExample {
  readonly blocks: readonly SampleBlock[]
  readonly contract: string
  readonly accounts: readonly string[]
}

export interface SampleBlock {
  readonly number: number
  readonly hash: string
  readonly rlp: string
  readonly transactions: readonly SampleTransaction[]
}

export interface SampleTransaction {
  readonly hash: string
  readonly from: string
  readonly nonce: string
  /** The engine's hash of it. */
  readonly nativeHash: string
}

export type RpcRequest = readonly [method: string, ...params: readonly unknown[]]

const { abi } = compileTraffic()
const input = (name: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName: name, args })

/** A transaction without protection against replays, of an account that has nothing and sends nothing. */
const rawTransaction = `0xf85f808082520894999999999999999999999999999999999999999980801ba011${'02'.repeat(31)}a0${'22'.repeat(32)}`

const unknownHash = `0x${'12'.repeat(32)}`
const absent = `0x${'99'.repeat(20)}`
const firstKey = `0x${'00'.repeat(32)}`

/** The same of any chain. */
const constants: readonly RpcRequest[] = [
  ['web3_clientVersion'],
  ['web3_sha3', '0x68656c6c6f'],
  ['net_version'],
  ['net_listening'],
  ['eth_protocolVersion'],
  ['eth_chainId'],
  ['eth_config'],
  ['eth_capabilities'],
  ['debug_getBadBlocks'],
  ['debug_traceBadBlock', unknownHash],
  ['cosmos_toHex', 'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv'],
  ['clique_proposals'],
  ['personal_ecRecover', '0xdeadbeef', `0x${'11'.repeat(64)}1b`],
  ...['eth_getCompilers', 'eth_compileSolidity', 'eth_compileLLL', 'eth_compileSerpent'].map(
    (name): RpcRequest => [name, ...(name === 'eth_getCompilers' ? [] : ['x'])],
  ),
  ['db_putString', 'a', 'b', 'c'],
  ['db_getString', 'a', 'b'],
  ['db_putHex', 'a', 'b', '0x01'],
  ['db_getHex', 'a', 'b'],
  ['shh_version'],
  ['shh_post', {}],
  ['shh_newIdentity'],
  ['shh_hasIdentity', '0x01'],
  ['shh_newGroup'],
  ['shh_addToGroup', '0x01'],
  ['shh_newFilter', {}],
  ['shh_uninstallFilter', '0x1'],
  ['shh_getFilterChanges', '0x1'],
  ['shh_getMessages', '0x1'],
  ['les_serverInfo'],
  ['les_clientInfo', []],
  ['les_priorityClientInfo', firstKey, firstKey, 1],
  ['les_addBalance', firstKey, 1],
  ['les_setClientParams', [], {}],
  ['les_setDefaultParams', {}],
  ['les_latestCheckpoint'],
  ['les_getCheckpoint', 1],
  ['les_getCheckpointContractAddress'],
  ['ots_getApiLevel'],
  ['erigon_forks'],
]

const kinds = ['trace', 'stateDiff', 'vmTrace']

/** About the head, which does not move while it is asked. */
const atHead: readonly RpcRequest[] = [
  ['eth_blockNumber'],
  ['eth_syncing'],
  ['eth_gasPrice'],
  ['eth_maxPriorityFeePerGas'],
  ['eth_baseFee'],
  ['eth_blobBaseFee'],
  ['eth_feeHistory', '0x14', 'latest', [0, 25, 50, 75, 100]],
  ['eth_feeHistory', '0x14', '0xfffffff', []],
  ...['latest', 'safe', 'finalized', 'earliest'].flatMap((tag): RpcRequest[] => [
    ['eth_getBlockByNumber', tag, true],
    ['eth_getHeaderByNumber', tag],
    ['eth_getBlockReceipts', tag],
    ['eth_getBlockTransactionCountByNumber', tag],
  ]),
  ['debug_getAccessibleState', '0x1', 'latest'],
  ['clique_getSnapshot', 'latest'],
  ['clique_getSigners', 'latest'],
  ['clique_status'],
  ['perihelion_validators', 'latest'],
  ['perihelion_chainConfig'],
]

/** What is not there. */
const missing: readonly RpcRequest[] = [
  ['eth_getBlockByNumber', '0xfffffff', true],
  ['eth_getBlockByHash', unknownHash, false],
  ['eth_getHeaderByHash', unknownHash],
  ['eth_getBlockReceipts', unknownHash],
  ['eth_getTransactionByHash', unknownHash],
  ['eth_getTransactionReceipt', unknownHash],
  ['eth_getRawTransactionByHash', unknownHash],
  ['eth_getTransactionBySenderAndNonce', absent, '0x0'],
  ['eth_getBalance', absent, '0xfffffff'],
  ['eth_getProof', absent, [], unknownHash],
  ['eth_call', { to: absent }, '0xfffffff'],
  ['eth_estimateGas', { to: absent }, '0xfffffff'],
  ['debug_traceTransaction', unknownHash],
  ['debug_traceBlockByNumber', '0xfffffff'],
  ['debug_traceBlockByHash', unknownHash],
  ['debug_traceBlockByNumber', '0x0'],
  ['debug_traceBlock', '0x01'],
  ['debug_intermediateRoots', unknownHash],
  ['debug_executionWitness', unknownHash],
  ['debug_getRawBlock', '0xfffffff'],
  ['debug_storageRangeAt', unknownHash, 0, absent, '0x', 10],
  ['eth_getLogs', { blockHash: unknownHash }],
  ['eth_getLogs', { fromBlock: '0x5', toBlock: '0x2' }],
  ['trace_transaction', unknownHash],
  ['trace_replayTransaction', unknownHash, kinds],
  ['trace_block', '0xfffffff'],
  ['trace_block', '0x0'],
  ['trace_filter', { toBlock: '0xfffffff' }],
  ['ots_getBlockDetails', 0xfffffff],
  ['ots_traceTransaction', unknownHash],
  ['ots_getContractCreator', absent],
]

const ofBlock = ({ number, hash, rlp, transactions }: SampleBlock): readonly RpcRequest[] => {
  const at = toQuantity(number)
  return [
    ['eth_getBlockByNumber', at, true],
    ['eth_getBlockByNumber', at, false],
    ['eth_getBlockByHash', hash, true],
    ['eth_getBlockByHash', hash, false],
    ['eth_getHeaderByNumber', at],
    ['eth_getHeaderByHash', hash],
    ['eth_getBlockReceipts', at],
    ['eth_getBlockTransactionCountByNumber', at],
    ['eth_getBlockTransactionCountByHash', hash],
    ['eth_getUncleCountByBlockNumber', at],
    ['eth_getUncleCountByBlockHash', hash],
    ['eth_getUncleByBlockNumberAndIndex', at, '0x0'],
    ['eth_getUncleByBlockHashAndIndex', hash, '0x0'],
    ['eth_getLogs', { blockHash: hash }],
    ['eth_getLogs', { fromBlock: toQuantity(Math.max(0, number - 20)), toBlock: at }],
    ['debug_getRawHeader', at],
    ['debug_getRawBlock', at],
    ['debug_getRawReceipts', at],
    ['debug_getBlockRlp', number],
    ['debug_printBlock', number],
    ['debug_seedHash', number],
    ['clique_getSigners', at],
    ['clique_getSnapshot', at],
    ['clique_getSnapshotAtHash', hash],
    ['perihelion_validators', at],
    ['perihelion_lightBlock', [at]],
    ['perihelion_proofs', { headers: 3, block: true, receipts: true }, at],
    ['cosmos_getBlock', at],
    ['cosmos_getBlockResults', at],
    ['eth_feeHistory', '0x5', at, [10, 50, 90]],
    ['ots_getBlockDetails', number],
    ['ots_getBlockDetailsByHash', hash],
    ['ots_getBlockTransactions', number, 0, 10],
    ['erigon_getHeaderByNumber', at],
    ['erigon_getHeaderByHash', hash],
    ['erigon_getBlockReceiptsByBlockHash', hash],
    ['erigon_getLogsByHash', hash],
    ...(number % 3 === 0 && transactions.length > 0
      ? ([['debug_traceBlock', rlp, { tracer: 'callTracer' }]] as RpcRequest[])
      : []),
  ]
}

const ofTransactions = ({ number, hash, transactions }: SampleBlock): readonly RpcRequest[] =>
  transactions.flatMap(({ hash: id, nativeHash, from, nonce }, index): RpcRequest[] => [
    ['eth_getTransactionByHash', id],
    ['eth_getTransactionReceipt', id],
    ['eth_getTransactionByBlockHashAndIndex', hash, toQuantity(index)],
    ['eth_getTransactionByBlockNumberAndIndex', toQuantity(number), toQuantity(index)],
    ['eth_getTransactionbyBlockNumberAndIndex', toQuantity(number), toQuantity(index)],
    ['eth_getTransactionBySenderAndNonce', from, nonce],
    ['eth_getRawTransactionByHash', id],
    ['eth_getRawTransactionByBlockHashAndIndex', hash, toQuantity(index)],
    ['eth_getRawTransactionByBlockNumberAndIndex', toQuantity(number), toQuantity(index)],
    ['debug_getRawTransaction', id],
    ['debug_preimage', id],
    ['cosmos_getTransactionHash', id],
    ['cosmos_cosmosTxHashByTxHash', id],
    ['cosmos_getEthereumHash', nativeHash],
    ['cosmos_txHashByCosmosTxHash', nativeHash],
    ['cosmos_getTransaction', nativeHash],
    ['cosmos_toBech32', from],
    ['ots_getTransactionBySenderAndNonce', from, Number(nonce)],
    ['ots_getInternalOperations', id],
    ['ots_getTransactionError', id],
    ['ots_searchTransactionsBefore', from, number + 1, 3],
    ['ots_searchTransactionsAfter', from, number, 3],
  ])

const stateOf = (
  sample: ChainExample,
  { number, hash, transactions }: SampleBlock,
): readonly RpcRequest[] => {
  const { contract, accounts } = sample
  const at = toQuantity(number)
  const [from = absent] = accounts
  const call = { from, to: contract, data: input('fill', BigInt(number), 2n) }
  const failing = { from, to: contract, data: input('fail', `at ${number}`) }
  const overrides = { [contract]: { code: '0x5f5460015401475f5260205ff3', balance: '0x7' } }
  const index = Math.max(0, transactions.length - 1)
  return [
    ...[from, contract, absent].flatMap((who): RpcRequest[] => [
      ['eth_getBalance', who, at],
      ['eth_getTransactionCount', who, at],
      ['eth_getCode', who, { blockHash: hash }],
      ['eth_getAccount', who, at],
      ['eth_getAccountInfo', who, at],
      ['eth_getStorageAt', who, '0x1', at],
      ['eth_getProof', who, ['0x0', `0x${'01'.repeat(32)}`], at],
    ]),
    ['eth_getStorageValues', { [contract]: ['0x0', '0x1'] }, at],
    ['eth_call', call, at],
    ['eth_call', failing, at],
    ['eth_call', { to: contract, input: input('loop'), gas: '0x186a0' }, at],
    ['eth_call', { to: contract }, at, overrides, { number: '0x5', time: '0x6' }],
    ['eth_estimateGas', call, at],
    ['eth_estimateGas', failing, at],
    ['eth_estimateGas', { to: contract }, at, overrides],
    ['eth_createAccessList', call, at],
    ['perihelion_proofs', { accounts: [{ address: contract, slots: [firstKey], code: true }] }, at],
    ...['eth_call', 'eth_estimateGas', 'eth_createAccessList'].map(
      (method): RpcRequest => ['perihelion_callWitness', { method, transaction: call }, at],
    ),
    ['eth_callMany', [{ transactions: [call, failing] }, { transactions: [call] }], { blockNumber: at }],
    [
      'eth_simulateV1',
      {
        blockStateCalls: [
          { calls: [call, failing], stateOverrides: { [from]: { balance: '0xffffffffffff' } } },
        ],
        traceTransfers: true,
        returnFullTransactions: true,
      },
      at,
    ],
    ['debug_accountRange', at, '0x', 3, false, false],
    ['debug_storageRangeAt', hash, index, contract, '0x', 20],
    ['debug_dumpBlock', at],
  ]
}

const tracesOf = ({ contract, accounts }: ChainExample, block: SampleBlock): readonly RpcRequest[] => {
  const { number, hash, transactions } = block
  const at = toQuantity(number)
  const call = { from: accounts[0] ?? absent, to: contract, data: input('make') }
  return [
    ['debug_traceBlockByNumber', at, { tracer: 'callTracer', tracerConfig: { withLog: true } }],
    ['debug_traceBlockByHash', hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
    ['debug_traceBlockByNumber', at, {}],
    ['debug_intermediateRoots', hash],
    ['debug_executionWitness', hash],
    ['debug_traceCall', call, at, { tracer: '4byteTracer' }],
    ['debug_traceCall', call, at, { enableMemory: true, enableReturnData: true }],
    ['trace_block', at],
    ['trace_replayBlockTransactions', at, kinds],
    ['trace_filter', { fromBlock: toQuantity(Math.max(0, number - 5)), toBlock: at, toAddress: [contract] }],
    ['trace_call', call, kinds, at],
    [
      'trace_callMany',
      [
        [call, ['trace']],
        [call, kinds],
      ],
      at,
    ],
    ['trace_rawTransaction', rawTransaction, ['trace'], at],
    ['ots_hasCode', contract, at],
    ['ots_getContractCreator', contract],
    ['erigon_getBlockByTimestamp', 0x7fffffff, true],
    ['erigon_getLatestLogs', { toBlock: at, address: contract }, { logCount: 5 }],
    ...transactions.slice(0, 2).flatMap(({ hash: id }): RpcRequest[] => [
      [
        'debug_traceTransaction',
        id,
        { tracer: 'muxTracer', tracerConfig: { callTracer: {}, noopTracer: {} } },
      ],
      ['debug_traceTransaction', id, { limit: 2000 }],
      ['perihelion_traceSteps', id, 3, 20],
      ['trace_transaction', id],
      ['trace_get', id, ['0x0']],
      ['trace_replayTransaction', id, kinds],
      ['ots_traceTransaction', id],
      ['debug_traceTransaction', id, { tracer: '{step(){}, fault(){}, result(){return 7}}' }],
    ]),
  ]
}

/** Every question, in an order that touches each part of the chain early. Of calls and traces every so many blocks. */
export const generateRequests = (sample: ChainExample, every: number): readonly RpcRequest[] => [
  ...constants,
  ...atHead,
  ...missing,
  ...sample.blocks.flatMap((block) => [...ofBlock(block), ...ofTransactions(block)]),
  ...sample.blocks
    .filter(({ number }) => number % every === 0)
    .flatMap((block) => [...stateOf(sample, block), ...(block.number === 0 ? [] : tracesOf(sample, block))]),
  [
    'eth_getLogs',
    { fromBlock: '0x0', toBlock: toQuantity(sample.blocks.length - 1), address: sample.contract },
  ],
]
