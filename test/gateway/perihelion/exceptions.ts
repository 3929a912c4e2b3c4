/** Methods whose answer is that of the process that is asked, and why. All others answer the same. */

const pool = "each program's pool is its own"
const keys = "each program's keys are its own"
const process = 'it is about the program that is asked'
const operator = 'it changes what the program does that is asked'
const live = 'it is about what happens after it is asked'

export const excepted: Readonly<Record<string, string>> = {
  perihelion_status: process,
  // Pending and pool.
  eth_pendingTransactions: pool,
  txpool_content: pool,
  txpool_contentFrom: pool,
  txpool_inspect: pool,
  txpool_status: pool,
  eth_sendRawTransaction: pool,
  eth_sendRawTransactionSync: pool,
  eth_sendTransaction: pool,
  eth_fillTransaction: pool,

  // Keys.
  eth_accounts: keys,
  eth_sign: keys,
  eth_signTransaction: keys,
  eth_signTypedData_v4: keys,
  eth_coinbase: keys,
  personal_newAccount: keys,
  personal_importRawKey: keys,
  personal_listAccounts: keys,
  personal_lockAccount: keys,
  personal_unlockAccount: keys,
  personal_sendTransaction: keys,
  personal_sign: keys,
  personal_signTransaction: keys,
  personal_initializeWallet: keys,
  personal_unpair: keys,
  personal_openWallet: keys,
  personal_listWallets: keys,
  personal_deriveAccount: keys,

  // Filters and subscriptions that wait; filters of logs are compared by what they find.
  eth_newFilter: live,
  eth_newBlockFilter: live,
  eth_newPendingTransactionFilter: live,
  eth_getFilterChanges: live,
  eth_getFilterLogs: live,
  eth_uninstallFilter: live,
  eth_subscribe: live,
  eth_unsubscribe: live,
  debug_subscribe: live,
  debug_unsubscribe: live,

  // The process.
  eth_mining: process,
  eth_hashrate: process,
  eth_getWork: process,
  eth_submitWork: process,
  eth_submitHashrate: process,
  admin_datadir: process,
  admin_nodeInfo: process,
  admin_peers: process,
  net_peerCount: process,
  rpc_modules: process,
  'rpc.discover': process,
  debug_memStats: process,
  debug_gcStats: process,
  debug_freeOSMemory: process,
  debug_setGCPercent: process,
  debug_stacks: process,
  debug_cpuProfile: process,
  debug_startCPUProfile: process,
  debug_stopCPUProfile: process,
  debug_goTrace: process,
  debug_startGoTrace: process,
  debug_stopGoTrace: process,
  debug_blockProfile: process,
  debug_setBlockProfileRate: process,
  debug_writeBlockProfile: process,
  debug_mutexProfile: process,
  debug_setMutexProfileFraction: process,
  debug_writeMutexProfile: process,
  debug_writeMemProfile: process,
  debug_verbosity: process,
  debug_vmodule: process,
  debug_backtraceAt: process,
  debug_traceBlockFromFile: 'it reads a file of the machine that is asked',
  debug_standardTraceBlockToFile: 'it writes files on the machine that is asked',
  debug_standardTraceBadBlockToFile: 'it writes files on the machine that is asked',

  // What an operator does.
  admin_addPeer: operator,
  admin_startRPC: operator,
  admin_stopRPC: operator,
  admin_startHTTP: operator,
  admin_stopHTTP: operator,
  admin_startWS: operator,
  admin_stopWS: operator,
  debug_setHead: operator,
  miner_getHashrate: operator,
  miner_setExtra: operator,
  miner_setGasPrice: operator,
  miner_start: operator,
  miner_stop: operator,
  miner_setGasLimit: operator,
  miner_setEtherbase: operator,
  clique_propose: operator,
  clique_discard: operator,
}

/** Methods that have nothing to tell of such a chain: they are retired, off, or about what it does not have. */
export const silent: readonly string[] = [
  ...['putString', 'getString', 'putHex', 'getHex'].map((name) => `db_${name}`),
  ...['getCompilers', 'compileSolidity', 'compileLLL', 'compileSerpent'].map((name) => `eth_${name}`),
  ...['serverInfo', 'clientInfo', 'priorityClientInfo', 'addBalance', 'setClientParams'].map(
    (name) => `les_${name}`,
  ),
  ...['setDefaultParams', 'latestCheckpoint', 'getCheckpoint', 'getCheckpointContractAddress'].map(
    (name) => `les_${name}`,
  ),
  ...['version', 'post', 'newIdentity', 'hasIdentity', 'newGroup', 'addToGroup', 'newFilter'].map(
    (name) => `shh_${name}`,
  ),
  ...['uninstallFilter', 'getFilterChanges', 'getMessages'].map((name) => `shh_${name}`),
  'personal_ecRecover',
  'clique_proposals',
  'debug_getBadBlocks',
  'debug_seedHash',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_syncing',
]
