/** What a method of a forked chain refers to, which decides whether the remote is asked. */
export type RemoteRule =
  /** A block with its contents, by the parameter of this index. All blocks up to the fork block are the remote's. */
  | { readonly kind: 'block'; readonly at: number; readonly answer: 'block' | 'other' }
  /** The state of a block, by the parameter of this index. That of the fork block may be changed here. */
  | { readonly kind: 'state'; readonly at: number }
  /** A transaction by its hash, the first parameter. */
  | { readonly kind: 'transaction'; readonly answer: 'transaction' | 'other' }
  /** Logs of one block, if the filter names it by its hash. */
  | { readonly kind: 'logs' }
  /** The fees of a range of blocks. */
  | { readonly kind: 'fees' }
  /** What needs the whole state, which is not here. */
  | { readonly kind: 'unsupported'; readonly why: string }

const block = (at = 0): RemoteRule => ({ kind: 'block', at, answer: 'other' })
const wholeBlock: RemoteRule = { kind: 'block', at: 0, answer: 'block' }
const state = (at = 1): RemoteRule => ({ kind: 'state', at })
const transaction: RemoteRule = { kind: 'transaction', answer: 'other' }
const wholeTransaction: RemoteRule = { kind: 'transaction', answer: 'transaction' }

const unsupported = (why: string): RemoteRule => ({ kind: 'unsupported', why })
const noRoot = unsupported(
  'this chain is forked from a remote one: its root covers the local changes alone, and nothing can be proved',
)
const noList = unsupported(
  'this chain is forked from a remote one: it knows the accounts that were read or changed, not all that there are',
)

/** The methods that ask the remote of a forked chain for what is below the fork. */
export const remoteRules: Readonly<Record<string, RemoteRule>> = {
  eth_getBlockByNumber: wholeBlock,
  eth_getBlockByHash: wholeBlock,
  eth_getHeaderByNumber: wholeBlock,
  eth_getHeaderByHash: wholeBlock,
  eth_getBlockReceipts: block(),
  eth_getBlockTransactionCountByNumber: block(),
  eth_getBlockTransactionCountByHash: block(),
  eth_getUncleCountByBlockNumber: block(),
  eth_getUncleCountByBlockHash: block(),
  eth_getUncleByBlockNumberAndIndex: block(),
  eth_getUncleByBlockHashAndIndex: block(),
  eth_getTransactionByBlockNumberAndIndex: block(),
  eth_getTransactionbyBlockNumberAndIndex: block(),
  eth_getTransactionByBlockHashAndIndex: block(),
  eth_getRawTransactionByBlockNumberAndIndex: block(),
  eth_getRawTransactionByBlockHashAndIndex: block(),
  eth_getTransactionByHash: wholeTransaction,
  eth_getTransactionReceipt: wholeTransaction,
  eth_getRawTransactionByHash: transaction,
  eth_getLogs: { kind: 'logs' },
  eth_feeHistory: { kind: 'fees' },
  eth_getBalance: state(),
  eth_getCode: state(),
  eth_getTransactionCount: state(),
  eth_getStorageAt: state(2),
  eth_getStorageValues: state(),
  eth_getAccount: state(),
  eth_getAccountInfo: state(),
  eth_call: state(),
  eth_callMany: state(),
  eth_estimateGas: state(),
  eth_createAccessList: state(),
  eth_simulateV1: state(),
  eth_getProof: noRoot,
  debug_getRawBlock: block(),
  debug_getRawHeader: block(),
  debug_getRawReceipts: block(),
  debug_getRawTransaction: transaction,
  debug_getBlockRlp: block(),
  debug_traceBlockByNumber: block(),
  debug_traceBlockByHash: block(),
  debug_traceTransaction: transaction,
  debug_traceCall: state(),
  debug_dumpBlock: noList,
  anvil_dumpState: noList,
  hardhat_dumpState: noList,
  debug_accountRange: noList,
  debug_storageRangeAt: noList,
  debug_executionWitness: noRoot,
  trace_block: block(),
  trace_replayBlockTransactions: block(),
  trace_transaction: transaction,
  trace_replayTransaction: transaction,
  trace_get: transaction,
  trace_call: state(2),
  trace_callMany: state(),
  trace_rawTransaction: state(2),
  ots_getBlockDetails: block(),
  ots_getBlockDetailsByHash: block(),
  ots_getBlockTransactions: block(),
  ots_getInternalOperations: transaction,
  ots_getTransactionError: transaction,
  ots_traceTransaction: transaction,
  ots_hasCode: state(),
  erigon_getHeaderByNumber: wholeBlock,
  erigon_getHeaderByHash: wholeBlock,
  erigon_getBlockReceiptsByBlockHash: block(),
  erigon_getLogsByHash: block(),
}
