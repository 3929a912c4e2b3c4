/**
 * What each method of the specification's status table is to answer, written by hand from the specification and the
 * decisions about it. Nothing here is read from the method table: tests hold the table against this list.
 */

type Access = 'public' | 'private' | 'signing'

/**
 * - `result`: a result
 * - `not yet`: -32004 until the part of the node behind it is there
 * - `unsupported`: -32004, and that is the decided answer
 * - `failed`: -32000, since the sample asks for something that cannot be (a server that runs already, a transaction
 *   that is none, a passphrase that is not the account's)
 * - `unauthorized`: 4100
 */
export type AnswerClass = 'result' | 'not yet' | 'unsupported' | 'failed' | 'unauthorized'

/** When -32004 is right in the end: never, always, over HTTP alone, or in modes whose chain cannot do it. */
type FinalUnsupported = 'never' | 'always' | 'over http' | 'by mode'

export interface ExpectedMethod {
  readonly name: string
  readonly access: Access
  /** Arguments that are valid; those of a signing or sending method need not succeed. */
  readonly params: readonly unknown[]
  /** With a token, or over IPC. */
  readonly authorized: AnswerClass
  /** Without a token, on this machine. */
  readonly local: AnswerClass
  /** Without a token, from another machine. */
  readonly remote: AnswerClass
  readonly finalUnsupported: FinalUnsupported
  /** The transport that a call ends: such calls come last, or on a server of their own. */
  readonly stops?: 'http' | 'ws'
}

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const hash = '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b'
const id = '0x9ce59a13059e417087c02d3236a0b1cc'
const transfer = { from: alice, to: bob, value: '0x1' }
const signature =
  '0x791703250f789557b30c2ed9066cdc9bfcfba4504583d417b61f07891c4c9ace5fa84cb97062712e6e614c29ad59c610e310123e' +
  'fdb40bd7a9c516ace2084cd01c'

type Row = readonly [
  name: string,
  params: readonly unknown[],
  authorized: Exclude<AnswerClass, 'unauthorized'>,
  finalUnsupported?: FinalUnsupported,
  stops?: 'http' | 'ws',
]

/** Who else is answered follows from the access: a private method has no other callers, signing no remote ones. */
const withAccess =
  (access: Access) =>
  ([name, params, authorized, finalUnsupported = 'never', stops]: Row): ExpectedMethod => ({
    name,
    access,
    params,
    authorized,
    local: access === 'private' ? 'unauthorized' : authorized,
    remote: access === 'public' ? authorized : 'unauthorized',
    finalUnsupported,
    ...(stops === undefined ? {} : { stops }),
  })

const publicRows: readonly Row[] = [
  ['web3_clientVersion', [], 'result'],
  ['web3_sha3', ['0x68656c6c6f20776f726c64'], 'result'],

  ['net_version', [], 'result'],
  ['net_peerCount', [], 'result'],
  ['net_listening', [], 'result'],

  ['eth_protocolVersion', [], 'result'],
  ['eth_syncing', [], 'result'],
  ['eth_gasPrice', [], 'result'],
  ['eth_accounts', [], 'result'],
  ['eth_blockNumber', [], 'result'],
  ['eth_getBalance', [alice, 'latest'], 'result'],
  ['eth_getStorageAt', [alice, '0x0', 'latest'], 'result'],
  ['eth_getTransactionCount', [alice, 'latest'], 'result'],
  ['eth_getBlockTransactionCountByNumber', ['latest'], 'result'],
  ['eth_getBlockTransactionCountByHash', [hash], 'result'],
  ['eth_getCode', [alice, 'latest'], 'result'],
  ['eth_getProof', [alice, ['0x0'], 'latest'], 'result'],
  ['eth_coinbase', [], 'result'],
  ['eth_sendRawTransaction', ['0x02c0'], 'failed'],
  ['eth_call', [{ to: bob, data: '0x' }, 'latest'], 'result'],
  ['eth_estimateGas', [transfer], 'result'],
  ['eth_getBlockByNumber', ['latest', false], 'result'],
  ['eth_getBlockByHash', [hash, true], 'result'],
  ['eth_getTransactionByHash', [hash], 'result'],
  ['eth_getTransactionByBlockHashAndIndex', [hash, '0x0'], 'result'],
  ['eth_getTransactionbyBlockNumberAndIndex', ['latest', '0x0'], 'result'],
  ['eth_getTransactionReceipt', [hash], 'result'],
  ['eth_getUncleCountByBlockHash', [hash], 'result'],
  ['eth_getUncleCountByBlockNumber', ['latest'], 'result'],
  ['eth_getUncleByBlockHashAndIndex', [hash, '0x0'], 'result'],
  ['eth_getUncleByBlockNumberAndIndex', ['latest', '0x0'], 'result'],
  ['eth_newFilter', [{ topics: [hash] }], 'result'],
  ['eth_newBlockFilter', [], 'result'],
  ['eth_newPendingTransactionFilter', [], 'result'],
  ['eth_uninstallFilter', [id], 'result'],
  ['eth_getFilterChanges', [id], 'failed'],
  ['eth_getFilterLogs', [id], 'failed'],
  ['eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest', address: bob }], 'result'],
  ['eth_subscribe', ['newHeads', { includeTransactions: true }], 'result', 'over http'],
  ['eth_unsubscribe', [id], 'failed', 'over http'],
  ['eth_mining', [], 'result'],
  ['eth_submitHashrate', ['0x500000', hash], 'result'],
  ['eth_getWork', [], 'unsupported', 'always'],
  ['eth_submitWork', ['0x0000000000000001', hash, hash], 'result'],
  ['eth_getCompilers', [], 'result'],
  ['eth_compileLLL', ['(returnlll (suicide (caller)))'], 'unsupported', 'always'],
  ['eth_compileSolidity', ['contract A {}'], 'unsupported', 'always'],
  ['eth_compileSerpent', ['def f(): return(1)'], 'unsupported', 'always'],

  ['txpool_content', [], 'result'],
  ['txpool_inspect', [], 'result'],
  ['txpool_status', [], 'result'],

  ['clique_getSnapshot', ['latest'], 'result'],
  ['clique_getSnapshotAtHash', [hash], 'failed'],
  ['clique_getSigners', ['latest'], 'result'],
  ['clique_proposals', [], 'result'],
  ['clique_propose', [alice, true], 'unsupported', 'always'],
  ['clique_discard', [alice], 'unsupported', 'always'],
  ['clique_status', [], 'result'],

  ['debug_traceBlock', ['0xc0', { tracer: 'callTracer' }], 'failed', 'by mode'],
  ['debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }], 'failed'],
  ['debug_traceBlockByHash', [hash, { tracer: 'callTracer' }], 'failed'],
  ['debug_traceTransaction', [hash, { tracer: 'callTracer' }], 'failed'],
  ['debug_dumpBlock', ['latest'], 'result', 'by mode'],
  ['debug_getBlockRlp', ['0x0'], 'result'],
  ['debug_seedHash', ['0x1'], 'unsupported', 'always'],

  ['les_serverInfo', [], 'unsupported', 'always'],
  ['les_clientInfo', [[]], 'unsupported', 'always'],
  ['les_priorityClientInfo', [hash, hash, 10], 'unsupported', 'always'],
  ['les_addBalance', [hash, 1000, ''], 'unsupported', 'always'],
  ['les_setClientParams', [[hash], { capacity: 1 }], 'unsupported', 'always'],
  ['les_setDefaultParams', [{ capacity: 1 }], 'unsupported', 'always'],
  ['les_latestCheckpoint', [], 'unsupported', 'always'],
  ['les_getCheckpoint', [150], 'unsupported', 'always'],
  ['les_getCheckpointContractAddress', [], 'unsupported', 'always'],

  [
    'shh_post',
    [{ topics: ['0x776869'], payload: '0x01', priority: '0x64', ttl: '0x64' }],
    'unsupported',
    'always',
  ],
  ['shh_version', [], 'unsupported', 'always'],
  ['shh_newIdentity', [], 'unsupported', 'always'],
  ['shh_hasIdentity', ['0x04'], 'unsupported', 'always'],
  ['shh_newGroup', [], 'unsupported', 'always'],
  ['shh_addToGroup', ['0x04'], 'unsupported', 'always'],
  ['shh_newFilter', [{ topics: ['0x12'], to: '0x04' }], 'unsupported', 'always'],
  ['shh_uninstallFilter', ['0x7'], 'unsupported', 'always'],
  ['shh_getFilterChanges', ['0x7'], 'unsupported', 'always'],
  ['shh_getMessages', ['0x7'], 'unsupported', 'always'],

  ['db_putString', ['db', 'key', 'value'], 'unsupported', 'always'],
  ['db_getString', ['db', 'key'], 'unsupported', 'always'],
  ['db_putHex', ['db', 'key', '0x01'], 'unsupported', 'always'],
  ['db_getHex', ['db', 'key'], 'unsupported', 'always'],
]

const signingRows: readonly Row[] = [
  ['eth_sign', [alice, '0xdeadbeaf'], 'result'],
  ['eth_sendTransaction', [transfer], 'result'],
  ['eth_signTransaction', [{ ...transfer, gas: '0x5208', gasPrice: '0x1', nonce: '0x0' }], 'result'],
]

const privateRows: readonly Row[] = [
  ['eth_hashrate', [], 'result'],

  [
    'personal_importRawKey',
    ['7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d', 'secret'],
    'result',
  ],
  ['personal_listAccounts', [], 'result'],
  ['personal_lockAccount', [bob], 'result'],
  ['personal_newAccount', ['secret'], 'result'],
  ['personal_unlockAccount', [alice, 'secret', 30], 'failed'],
  ['personal_sendTransaction', [transfer, 'secret'], 'failed'],
  ['personal_sign', ['0xdeadbeaf', alice, 'secret'], 'failed'],
  ['personal_ecRecover', ['0xdeadbeaf', signature], 'result'],
  ['personal_initializeWallet', ['keystore://savings'], 'result'],
  ['personal_unpair', ['keystore://savings', 'secret'], 'failed'],

  ['miner_getHashrate', [], 'result'],
  ['miner_setExtra', ['0x6e6f746865722062797465'], 'unsupported', 'always'],
  ['miner_setGasPrice', ['0x3b9aca00'], 'result'],
  ['miner_start', ['0x1'], 'unsupported', 'always'],
  ['miner_stop', [], 'result'],
  ['miner_setGasLimit', ['0x10000'], 'result'],
  ['miner_setEtherbase', [bob], 'result', 'by mode'],

  ['admin_addPeer', ['e2b6a9ac75b1a6c2bd8b3aed7a5f8d6f0a2c1b3d@127.0.0.1:26656'], 'unsupported', 'by mode'],
  ['admin_datadir', [], 'result'],
  ['admin_nodeInfo', [], 'result'],
  ['admin_peers', [], 'result'],
  ['admin_startRPC', ['127.0.0.1', 0, '', 'eth,net,web3', 'localhost'], 'failed'],
  ['admin_startWS', ['127.0.0.1', 0, '', 'eth,net,web3'], 'failed'],
  ['admin_stopRPC', [], 'result', 'never', 'http'],
  ['admin_stopWS', [], 'result', 'never', 'ws'],

  ['debug_blockProfile', ['block.json', 0], 'result'],
  ['debug_cpuProfile', ['cpu.cpuprofile', 0], 'result'],
  ['debug_gcStats', [], 'result'],
  ['debug_goTrace', ['trace.json', 0], 'result'],
  ['debug_freeOSMemory', [], 'result'],
  ['debug_memStats', [], 'result'],
  ['debug_mutexProfile', ['mutex.json', 0], 'result'],
  ['debug_setBlockProfileRate', [1], 'result'],
  ['debug_setGCPercent', [-1], 'result'],
  ['debug_setMutexProfileFraction', [1], 'result'],
  ['debug_stacks', [], 'result'],
  ['debug_startCPUProfile', ['cpu.cpuprofile'], 'result'],
  ['debug_startGoTrace', ['trace.json'], 'result'],
  ['debug_stopCPUProfile', [], 'result'],
  ['debug_stopGoTrace', [], 'result'],
  ['debug_writeBlockProfile', ['block.json'], 'result'],
  ['debug_writeMemProfile', ['heap.heapprofile'], 'result'],
  ['debug_writeMutexProfile', ['mutex.json'], 'result'],
  ['debug_backtraceAt', ['server.go:443'], 'unsupported', 'always'],
  ['debug_setHead', ['0x0'], 'result', 'by mode'],
  ['debug_traceBlockFromFile', ['block.rlp', { tracer: 'callTracer' }], 'failed', 'by mode'],
  ['debug_standardTraceBlockToFile', [hash, { txHash: hash }], 'failed', 'by mode'],
  ['debug_standardTraceBadBlockToFile', [hash], 'failed', 'by mode'],
  ['debug_verbosity', [3], 'result'],
  ['debug_vmodule', ['rpc=5'], 'result'],
]

export const expected: readonly ExpectedMethod[] = [
  ...publicRows.map(withAccess('public')),
  ...signingRows.map(withAccess('signing')),
  ...privateRows.map(withAccess('private')),
]
