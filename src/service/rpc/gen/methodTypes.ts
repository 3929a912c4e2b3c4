// Made by `npm run generate`.

type Hex = `0x${string}`

export type Data = Hex
export type Hash = Hex
export type Uint64 = Hex
export type Quantity = Hex
export type BlockNumber = BlockTag | Height
export type BlockTag = "earliest" | "latest" | "pending" | "safe" | "finalized"
export type Height = Hex
export type Block = { number: Uint64; hash: Hash | null; parentHash: Hash; nonce: Bytes8 | null; sha3Uncles: Hash; logsBloom: Bloom; transactionsRoot: Hash; stateRoot: Hash; receiptsRoot: Hash; miner: Address | null; difficulty: Quantity; extraData: Data; gasLimit: Uint64; gasUsed: Uint64; timestamp: Uint64; mixHash: Hash; baseFeePerGas?: Quantity | undefined; withdrawalsRoot?: Hash | undefined; blobGasUsed?: Uint64 | undefined; excessBlobGas?: Uint64 | undefined; parentBeaconBlockRoot?: Hash | undefined; requestsHash?: Hash | undefined; size: Uint64; transactions: Hash[] | Transaction[]; uncles: Hash[]; withdrawals?: { index: Uint64; validatorIndex: Uint64; address: Address; amount: Uint64 }[] | undefined }
export type Bytes8 = Hex
export type Bloom = Hex
export type Address = Hex
export type Transaction = { blockHash: Hash | null; blockNumber: Uint64 | null; blockTimestamp?: Uint64 | null | undefined; transactionIndex: Uint64 | null; hash: Hash; type: Uint64; nonce: Uint64; from: Address; to: Address | null; value: Quantity; gas: Uint64; gasPrice: Quantity; maxFeePerGas?: Quantity | undefined; maxPriorityFeePerGas?: Quantity | undefined; maxFeePerBlobGas?: Quantity | undefined; input: Data; accessList?: { address: Address; storageKeys: Bytes32[] }[] | undefined; blobVersionedHashes?: Hash[] | undefined; authorizationList?: { chainId: Quantity; address: Address; nonce: Uint64; yParity: Quantity; r: Quantity; s: Quantity }[] | undefined; chainId?: Quantity | undefined; v: Quantity; r: Quantity; s: Quantity; yParity?: Quantity | undefined }
export type Bytes32 = Hex
export type Header = { number: Uint64; hash: Hash | null; parentHash: Hash; nonce: Bytes8 | null; sha3Uncles: Hash; logsBloom: Bloom; transactionsRoot: Hash; stateRoot: Hash; receiptsRoot: Hash; miner: Address | null; difficulty: Quantity; extraData: Data; gasLimit: Uint64; gasUsed: Uint64; timestamp: Uint64; mixHash: Hash; baseFeePerGas?: Quantity | undefined; withdrawalsRoot?: Hash | undefined; blobGasUsed?: Uint64 | undefined; excessBlobGas?: Uint64 | undefined; parentBeaconBlockRoot?: Hash | undefined; requestsHash?: Hash | undefined }
export type BlockObject = { blockNumber?: Height | BlockTag | null | undefined; blockHash?: Hash | null | undefined; requireCanonical?: boolean | null | undefined }
export type BlockParameter = BlockTag | Height | Hash | BlockObject
export type Receipt = { transactionHash: Hash; transactionIndex: Uint64; blockHash: Hash; blockNumber: Uint64; from: Address; to: Address | null; contractAddress: Address | null; type: Uint64; status?: Uint64 | undefined; root?: Hash | undefined; gasUsed: Uint64; cumulativeGasUsed: Uint64; effectiveGasPrice: Quantity; blobGasUsed?: Uint64 | undefined; blobGasPrice?: Quantity | undefined; logs: Log[]; logsBloom: Bloom }
export type Log = { address: Address; topics: Bytes32[]; data: Data; blockNumber: Uint64 | null; blockHash: Hash | null; blockTimestamp?: Uint64 | null | undefined; transactionHash: Hash | null; transactionIndex: Uint64 | null; logIndex: Uint64 | null; removed: boolean }
export type Uncle = { number: Uint64; hash: Hash | null; parentHash: Hash; nonce: Bytes8 | null; sha3Uncles: Hash; logsBloom: Bloom; transactionsRoot: Hash; stateRoot: Hash; receiptsRoot: Hash; miner: Address | null; difficulty: Quantity; extraData: Data; gasLimit: Uint64; gasUsed: Uint64; timestamp: Uint64; mixHash: Hash; baseFeePerGas?: Quantity | undefined; withdrawalsRoot?: Hash | undefined; blobGasUsed?: Uint64 | undefined; excessBlobGas?: Uint64 | undefined; parentBeaconBlockRoot?: Hash | undefined; requestsHash?: Hash | undefined; size: Uint64; uncles: Hash[] }
export type StorageKey = Hex
export type StorageRequests = Record<string, StorageKey[]>
export type StorageValues = Record<string, Bytes32[]>
export type Account = { balance: Quantity; nonce: Uint64; codeHash: Hash; storageRoot: Hash }
export type AccountInfo = { balance: Quantity; nonce: Uint64; code: Data }
export type Proof = { address: Address; accountProof: Data[]; balance: Quantity; codeHash: Hash; nonce: Uint64; storageHash: Hash; storageProof: ({ key: Bytes32 | Quantity; value: Quantity; proof: Data[] })[]; proofType?: "ics23" | undefined }
export type AccessList = { address: Address; storageKeys: Bytes32[] }[]
export type TransactionRequest = { from?: Address | null | undefined; to?: Address | null | undefined; gas?: Uint64 | null | undefined; gasLimit?: Uint64 | null | undefined; gasPrice?: Quantity | null | undefined; maxFeePerGas?: Quantity | null | undefined; maxPriorityFeePerGas?: Quantity | null | undefined; value?: Quantity | null | undefined; nonce?: Uint64 | null | undefined; data?: Data | null | undefined; input?: Data | null | undefined; accessList?: AccessList | null | undefined; chainId?: Quantity | null | undefined; type?: Uint64 | number | null | undefined; maxFeePerBlobGas?: Quantity | null | undefined; blobVersionedHashes?: Hash[] | null | undefined; blobs?: Data[] | null | undefined; commitments?: Data[] | null | undefined; proofs?: Data[] | null | undefined; authorizationList?: { chainId: Quantity; address: Address; nonce: Uint64; yParity: Uint64; r: Quantity; s: Quantity }[] | null | undefined }
export type StateOverrides = Record<string, { nonce?: Uint64 | null | undefined; code?: Data | null | undefined; balance?: Quantity | null | undefined; state?: Record<string, Bytes32> | null | undefined; stateDiff?: Record<string, Bytes32> | null | undefined; movePrecompileToAddress?: Address | null | undefined }>
export type BlockOverrides = { number?: Quantity | null | undefined; difficulty?: Quantity | null | undefined; time?: Uint64 | null | undefined; gasLimit?: Uint64 | null | undefined; feeRecipient?: Address | null | undefined; prevRandao?: Hash | null | undefined; baseFeePerGas?: Quantity | null | undefined; blobBaseFee?: Quantity | null | undefined; beaconRoot?: Hash | null | undefined; withdrawals?: { index: Uint64; validatorIndex: Uint64; address: Address; amount: Uint64 }[] | null | undefined }
export type AccessListResult = { accessList: { address: Address; storageKeys: Bytes32[] }[]; gasUsed: Uint64; error?: string | undefined }
export type SimulationContext = { blockNumber?: BlockParameter | null | undefined; transactionIndex?: number | null | undefined }
export type BundleResults = (({ value: Data } | { error: string })[])[]
export type Simulation = { blockStateCalls: ({ blockOverrides?: BlockOverrides | null | undefined; stateOverrides?: StateOverrides | null | undefined; calls?: TransactionRequest[] | null | undefined })[]; traceTransfers?: boolean | null | undefined; validation?: boolean | null | undefined; returnFullTransactions?: boolean | null | undefined }
export type SimulatedBlock = { number: Uint64; hash: Hash | null; parentHash: Hash; nonce: Bytes8 | null; sha3Uncles: Hash; logsBloom: Bloom; transactionsRoot: Hash; stateRoot: Hash; receiptsRoot: Hash; miner: Address | null; difficulty: Quantity; extraData: Data; gasLimit: Uint64; gasUsed: Uint64; timestamp: Uint64; mixHash: Hash; baseFeePerGas?: Quantity | undefined; withdrawalsRoot?: Hash | undefined; blobGasUsed?: Uint64 | undefined; excessBlobGas?: Uint64 | undefined; parentBeaconBlockRoot?: Hash | undefined; requestsHash?: Hash | undefined; size: Uint64; transactions: Hash[] | Transaction[]; uncles: Hash[]; withdrawals?: { index: Uint64; validatorIndex: Uint64; address: Address; amount: Uint64 }[] | undefined; calls: ({ returnData: Data; logs: Log[]; gasUsed: Uint64; maxUsedGas: Uint64; status: Uint64; error?: { message: string; code: number; data?: Data | undefined } | undefined })[] }
export type Filter = { fromBlock?: BlockNumber | null | undefined; toBlock?: BlockNumber | null | undefined; address?: Address | Address[] | null | undefined; topics?: (null | Hash | (Hash | null)[])[] | null | undefined; blockhash?: Hash | null | undefined; blockHash?: Hash | null | undefined }
export type FeeHistory = { oldestBlock: Uint64; baseFeePerGas: Quantity[]; gasUsedRatio: number[]; baseFeePerBlobGas: Quantity[]; blobGasUsedRatio: number[]; reward?: Quantity[][] | undefined }
export type ClientConfig = { current: ForkConfig; next: ForkConfig | null; last: ForkConfig | null }
export type ForkConfig = { activationTime: number; blobSchedule: { target: number; max: number; baseFeeUpdateFraction: number } | null; chainId: Quantity; forkId: string; precompiles: Record<string, Address>; systemContracts: Record<string, Address> }
export type Capabilities = { head: { number: Uint64; hash: Hash }; state: { disabled: boolean; oldestBlock: Uint64; deleteStrategy?: { type: string; retentionBlocks: Uint64 } | undefined }; tx: { disabled: boolean; oldestBlock: Uint64; deleteStrategy?: { type: string; retentionBlocks: Uint64 } | undefined }; logs: { disabled: boolean; oldestBlock: Uint64; deleteStrategy?: { type: string; retentionBlocks: Uint64 } | undefined }; receipts: { disabled: boolean; oldestBlock: Uint64; deleteStrategy?: { type: string; retentionBlocks: Uint64 } | undefined }; blocks: { disabled: boolean; oldestBlock: Uint64; deleteStrategy?: { type: string; retentionBlocks: Uint64 } | undefined }; stateproofs: { disabled: boolean; oldestBlock: Uint64; deleteStrategy?: { type: string; retentionBlocks: Uint64 } | undefined } }
export type TypedData = { types: Record<string, { name: string; type: string }[]>; primaryType: string; domain: Record<string, unknown>; message: Record<string, unknown> }
export type OwnTransaction = { from: Address; to?: Address | null | undefined; gas?: Uint64 | null | undefined; gasLimit?: Uint64 | null | undefined; gasPrice?: Quantity | null | undefined; maxFeePerGas?: Quantity | null | undefined; maxPriorityFeePerGas?: Quantity | null | undefined; value?: Quantity | null | undefined; nonce?: Uint64 | null | undefined; data?: Data | null | undefined; input?: Data | null | undefined; accessList?: AccessList | null | undefined; chainId?: Quantity | null | undefined; type?: Uint64 | number | null | undefined; maxFeePerBlobGas?: Quantity | null | undefined; blobVersionedHashes?: Hash[] | null | undefined; blobs?: Data[] | null | undefined; commitments?: Data[] | null | undefined; proofs?: Data[] | null | undefined; authorizationList?: { chainId: Quantity; address: Address; nonce: Uint64; yParity: Uint64; r: Quantity; s: Quantity }[] | null | undefined }
export type StateDump = { root: string; accounts: Record<string, { balance: string; nonce: number; root: Hash; codeHash: Hash; code?: Data | undefined; storage?: Record<string, string> | undefined; address: Address; key: Hash }>; next?: Hash | undefined }
export type StorageRange = { storage: Record<string, { key: Bytes32; value: Bytes32 }>; nextKey: Hash | null }
export type TraceConfig = { enableMemory?: boolean | null | undefined; disableStack?: boolean | null | undefined; disableStorage?: boolean | null | undefined; enableReturnData?: boolean | null | undefined; limit?: number | null | undefined; overrides?: Record<string, unknown> | null | undefined; tracer?: string | null | undefined; tracerConfig?: unknown; timeout?: string | null | undefined; reexec?: number | null | undefined }
export type FileTraceConfig = { enableMemory?: boolean | null | undefined; disableStack?: boolean | null | undefined; disableStorage?: boolean | null | undefined; enableReturnData?: boolean | null | undefined; limit?: number | null | undefined; overrides?: Record<string, unknown> | null | undefined; txHash?: Hash | null | undefined }
export type CallTraceConfig = { enableMemory?: boolean | null | undefined; disableStack?: boolean | null | undefined; disableStorage?: boolean | null | undefined; enableReturnData?: boolean | null | undefined; limit?: number | null | undefined; overrides?: Record<string, unknown> | null | undefined; tracer?: string | null | undefined; tracerConfig?: unknown; timeout?: string | null | undefined; reexec?: number | null | undefined; stateOverrides?: StateOverrides | null | undefined; blockOverrides?: BlockOverrides | null | undefined; txIndex?: Uint64 | null | undefined }
export type ExecutionWitness = { state: Data[]; codes: Data[]; keys: Data[]; headers: Data[] }
export type ParityTrace = { action: { callType?: "call" | "callcode" | "delegatecall" | "staticcall" | undefined; creationMethod?: "create" | "create2" | undefined; from?: Address | undefined; to?: Address | undefined; gas?: Quantity | undefined; input?: Data | undefined; init?: Data | undefined; value?: Quantity | undefined; address?: Address | undefined; refundAddress?: Address | undefined; balance?: Quantity | undefined; author?: Address | undefined; rewardType?: "block" | "uncle" | undefined }; error?: string | undefined; result: { gasUsed: Quantity; output?: Data | undefined; address?: Address | undefined; code?: Data | undefined } | null; subtraces: number; traceAddress: number[]; type: "call" | "create" | "suicide" | "reward"; blockHash: Hash; blockNumber: number; transactionHash: Hash | null; transactionPosition: number | null }
export type TraceFilter = { fromBlock?: BlockNumber | null | undefined; toBlock?: BlockNumber | null | undefined; fromAddress?: Address | Address[] | null | undefined; toAddress?: Address | Address[] | null | undefined; mode?: "union" | "intersection" | null | undefined; after?: number | Uint64 | null | undefined; count?: number | Uint64 | null | undefined }
export type ParityTraces = { output: Data; trace: ({ action: { callType?: "call" | "callcode" | "delegatecall" | "staticcall" | undefined; creationMethod?: "create" | "create2" | undefined; from?: Address | undefined; to?: Address | undefined; gas?: Quantity | undefined; input?: Data | undefined; init?: Data | undefined; value?: Quantity | undefined; address?: Address | undefined; refundAddress?: Address | undefined; balance?: Quantity | undefined; author?: Address | undefined; rewardType?: "block" | "uncle" | undefined }; error?: string | undefined; result: { gasUsed: Quantity; output?: Data | undefined; address?: Address | undefined; code?: Data | undefined } | null; subtraces: number; traceAddress: number[]; type: "call" | "create" | "suicide" | "reward" })[]; stateDiff: Record<string, unknown> | null; vmTrace: unknown; transactionHash?: Hash | undefined }
export type OtsBlockDetails = { block: Record<string, unknown>; issuance: { blockReward: Quantity; uncleReward: Quantity; issuance: Quantity }; totalFees: Quantity }
export type LatestLogOptions = { logCount?: number | null | undefined; blockCount?: number | null | undefined; ignoreTopicsOrder?: boolean | null | undefined }
export type Wallets = { url: string; status: string; accounts: WalletAccount[] }[]
export type WalletAccount = { address: Address; url: string }
export type NativeHash = string
export type Bech32 = string
export type Validator = { pubkey: Data; cometbftAddress: Address; power: Uint64; reward: Address | null }
export type Status = { mode: "embedded" | "cometbft" | "none" | "gateway"; height: Uint64; time: Uint64; lag: { blocks: Uint64 | null; seconds: Uint64 }; fork: string; forks: ScheduledFork[]; versions: { perihelion: string; node: string; engine: string | null }; modified: boolean; refused: RefusedTransaction[]; verified: boolean | null; verifiedState: boolean | null; stateProblem: string | null; lies: ToldLie[] }
export type ScheduledFork = { name: string; at: Uint64; by: "block" | "time"; known: boolean; version: string | null; problem: string | null }
export type RefusedTransaction = { hash: Hash; from: Address; nonce: Uint64; reason: string; givenUp: boolean }
export type ToldLie = { time: Uint64; kind: string; block: Uint64; problem: string }
export type LightBlock = { height: number; hash: Hash; signedHeader: unknown; validators: unknown[] | null; header: Data }
export type ProofRequest = { accounts?: ({ address: Address; slots?: Bytes32[] | null | undefined; code?: boolean | null | undefined })[] | null | undefined; headers?: number | null | undefined; block?: boolean | null | undefined; receipts?: boolean | null | undefined }
export type Proofs = { nodes: Data[]; codes: Data[]; headers: Data[]; block: Data | null; receipts: Data[] | null }
export type WitnessQuestion = { method: "eth_call" | "eth_estimateGas" | "eth_createAccessList" | "eth_simulateV1"; transaction?: TransactionRequest | null | undefined; stateOverrides?: StateOverrides | null | undefined; blockOverrides?: BlockOverrides | null | undefined; simulation?: Simulation | null | undefined }
export type CallWitness = { nodes: Data[]; codes: Data[]; headers: Data[] }

/** The parameters and the result of each method, by its name. */
export interface MethodTypes {
  web3_clientVersion: { params: readonly []; result: string }
  web3_sha3: { params: readonly [input: Data]; result: Hash }
  net_version: { params: readonly []; result: string }
  net_peerCount: { params: readonly []; result: number }
  net_listening: { params: readonly []; result: boolean }
  eth_protocolVersion: { params: readonly []; result: Uint64 }
  eth_chainId: { params: readonly []; result: Quantity }
  eth_syncing: { params: readonly []; result: false | { startingBlock: Uint64; currentBlock: Uint64; highestBlock: Uint64 } }
  eth_blockNumber: { params: readonly []; result: Uint64 }
  eth_getBlockByNumber: { params: readonly [block: BlockNumber, full: boolean]; result: Block | null }
  eth_getBlockByHash: { params: readonly [blockHash: Hash, full: boolean]; result: Block | null }
  eth_getHeaderByNumber: { params: readonly [block: BlockNumber]; result: Header | null }
  eth_getHeaderByHash: { params: readonly [blockHash: Hash]; result: Header | null }
  eth_getBlockReceipts: { params: readonly [block: BlockParameter]; result: Receipt[] | null }
  eth_getBlockTransactionCountByNumber: { params: readonly [block: BlockNumber]; result: Uint64 | null }
  eth_getBlockTransactionCountByHash: { params: readonly [blockHash: Hash]; result: Uint64 | null }
  eth_getUncleCountByBlockHash: { params: readonly [blockHash: Hash]; result: Uint64 | null }
  eth_getUncleCountByBlockNumber: { params: readonly [block: BlockNumber]; result: Uint64 | null }
  eth_getUncleByBlockHashAndIndex: { params: readonly [blockHash: Hash, index: Uint64]; result: Uncle | null }
  eth_getUncleByBlockNumberAndIndex: { params: readonly [block: BlockNumber, index: Uint64]; result: Uncle | null }
  eth_getTransactionByHash: { params: readonly [transactionHash: Hash]; result: Transaction | null }
  eth_getTransactionByBlockHashAndIndex: { params: readonly [blockHash: Hash, index: Uint64]; result: Transaction | null }
  eth_getTransactionByBlockNumberAndIndex: { params: readonly [block: BlockNumber, index: Uint64]; result: Transaction | null }
  eth_getTransactionbyBlockNumberAndIndex: { params: readonly [block: BlockNumber, index: Uint64]; result: Transaction | null }
  eth_getTransactionBySenderAndNonce: { params: readonly [sender: Address, nonce: Uint64]; result: Transaction | null }
  eth_getTransactionReceipt: { params: readonly [transactionHash: Hash]; result: Receipt | null }
  eth_getRawTransactionByHash: { params: readonly [transactionHash: Hash]; result: Data }
  eth_getRawTransactionByBlockHashAndIndex: { params: readonly [blockHash: Hash, index: Uint64]; result: Data }
  eth_getRawTransactionByBlockNumberAndIndex: { params: readonly [block: BlockNumber, index: Uint64]; result: Data }
  eth_sendRawTransaction: { params: readonly [transaction: Data]; result: Hash }
  eth_sendRawTransactionSync: { params: readonly [transaction: Data, timeout?: number | null | undefined]; result: Receipt }
  eth_pendingTransactions: { params: readonly []; result: Transaction[] }
  eth_getBalance: { params: readonly [address: Address, block?: BlockParameter | null | undefined]; result: Quantity }
  eth_getStorageAt: { params: readonly [address: Address, position: StorageKey | number, block?: BlockParameter | null | undefined]; result: Bytes32 }
  eth_getStorageValues: { params: readonly [requests: StorageRequests, block?: BlockParameter | null | undefined]; result: StorageValues }
  eth_getTransactionCount: { params: readonly [address: Address, block?: BlockParameter | null | undefined]; result: Uint64 }
  eth_getCode: { params: readonly [address: Address, block?: BlockParameter | null | undefined]; result: Data }
  eth_getAccount: { params: readonly [address: Address, block?: BlockParameter | null | undefined]; result: Account | null }
  eth_getAccountInfo: { params: readonly [address: Address, block?: BlockParameter | null | undefined]; result: AccountInfo }
  eth_getProof: { params: readonly [address: Address, storageKeys: StorageKey[], block?: BlockParameter | null | undefined]; result: Proof }
  eth_call: { params: readonly [transaction: TransactionRequest, block?: BlockParameter | null | undefined, stateOverrides?: StateOverrides | null | undefined, blockOverrides?: BlockOverrides | null | undefined]; result: Data }
  eth_estimateGas: { params: readonly [transaction: TransactionRequest, block?: BlockParameter | null | undefined, stateOverrides?: StateOverrides | null | undefined, blockOverrides?: BlockOverrides | null | undefined]; result: Uint64 }
  eth_createAccessList: { params: readonly [transaction: TransactionRequest, block?: BlockParameter | null | undefined, stateOverrides?: StateOverrides | null | undefined]; result: AccessListResult }
  eth_callMany: { params: readonly [bundles: ({ transactions: TransactionRequest[]; blockOverride?: BlockOverrides | null | undefined })[], context?: SimulationContext | null | undefined, stateOverrides?: StateOverrides | null | undefined]; result: BundleResults }
  eth_simulateV1: { params: readonly [simulation: Simulation, block?: BlockParameter | null | undefined]; result: SimulatedBlock[] }
  eth_getLogs: { params: readonly [filter: Filter & ({ fromBlock?: BlockNumber | null | undefined; toBlock?: BlockNumber | null | undefined; address?: Address | Address[] | null | undefined; topics?: (null | Hash | (Hash | null)[])[] | null | undefined; blockhash?: Hash | null | undefined; blockHash?: Hash | null | undefined })]; result: Log[] }
  eth_newFilter: { params: readonly [filter: Filter & ({ fromBlock?: BlockNumber | null | undefined; toBlock?: BlockNumber | null | undefined; address?: Address | Address[] | null | undefined; topics?: (null | Hash | (Hash | null)[])[] | null | undefined; blockhash?: Hash | null | undefined; blockHash?: Hash | null | undefined })]; result: Quantity }
  eth_newBlockFilter: { params: readonly []; result: Quantity }
  eth_newPendingTransactionFilter: { params: readonly [full?: boolean | null | undefined]; result: Quantity }
  eth_getFilterChanges: { params: readonly [filterId: Quantity]; result: Hash[] | Log[] | Transaction[] }
  eth_getFilterLogs: { params: readonly [filterId: Quantity]; result: Log[] }
  eth_uninstallFilter: { params: readonly [filterId: Quantity]; result: boolean }
  eth_subscribe: { params: readonly [kind: "newHeads" | "logs" | "newPendingTransactions" | "syncing" | "transactionReceipts", options?: boolean | Record<string, unknown> | null | undefined]; result: Quantity }
  eth_unsubscribe: { params: readonly [subscriptionId: Quantity]; result: boolean }
  eth_gasPrice: { params: readonly []; result: Quantity }
  eth_maxPriorityFeePerGas: { params: readonly []; result: Quantity }
  eth_baseFee: { params: readonly []; result: Quantity }
  eth_blobBaseFee: { params: readonly []; result: Quantity }
  eth_feeHistory: { params: readonly [blockCount: Uint64 | number, newestBlock?: BlockParameter | null | undefined, rewardPercentiles?: number[] | null | undefined]; result: FeeHistory }
  eth_config: { params: readonly []; result: ClientConfig }
  eth_capabilities: { params: readonly []; result: Capabilities }
  eth_accounts: { params: readonly []; result: Address[] }
  eth_sign: { params: readonly [address: Address, message: Data]; result: Data }
  eth_signTypedData_v4: { params: readonly [address: Address, typedData: string | TypedData]; result: Data }
  eth_signTransaction: { params: readonly [transaction: OwnTransaction]; result: { raw: Data; tx: Transaction } }
  eth_fillTransaction: { params: readonly [transaction: TransactionRequest]; result: { raw: Data; tx: Transaction } }
  eth_sendTransaction: { params: readonly [transaction: OwnTransaction]; result: Hash }
  eth_sendTransactionSync: { params: readonly [transaction: OwnTransaction, timeout?: number | null | undefined]; result: Receipt }
  eth_requestAccounts: { params: readonly []; result: Address[] }
  eth_signTypedData: { params: readonly [address: Address | { type: string; name: string; value: unknown }[], typedData: string | TypedData]; result: Data }
  eth_signTypedData_v3: { params: readonly [address: Address, typedData: string | TypedData]; result: Data }
  eth_resend: { params: readonly [transaction: OwnTransaction, gasPrice?: Quantity | null | undefined, gasLimit?: Uint64 | null | undefined]; result: Hash }
  eth_coinbase: { params: readonly []; result: Address }
  eth_mining: { params: readonly []; result: false }
  eth_hashrate: { params: readonly []; result: Quantity }
  eth_submitHashrate: { params: readonly [hashrate: Hex, id: Hash]; result: false }
  eth_getWork: { params: readonly []; result: Bytes32[] }
  eth_submitWork: { params: readonly [nonce: Bytes8, powHash: Hash, mixDigest: Hash]; result: false }
  txpool_content: { params: readonly []; result: { pending: Record<string, Record<string, Transaction>>; queued: Record<string, Record<string, Transaction>> } }
  txpool_contentFrom: { params: readonly [address: Address]; result: { pending: Record<string, Transaction>; queued: Record<string, Transaction> } }
  txpool_inspect: { params: readonly []; result: { pending: Record<string, Record<string, string>>; queued: Record<string, Record<string, string>> } }
  txpool_status: { params: readonly []; result: { pending: Uint64; queued: Uint64 } }
  debug_getRawHeader: { params: readonly [block: BlockParameter]; result: Data }
  debug_getRawBlock: { params: readonly [block: BlockParameter]; result: Data }
  debug_getRawReceipts: { params: readonly [block: BlockParameter]; result: Data[] | null }
  debug_getRawTransaction: { params: readonly [transactionHash: Hash]; result: Data }
  debug_getBlockRlp: { params: readonly [number: Height | BlockTag | number]; result: Data }
  debug_printBlock: { params: readonly [number: Height | BlockTag | number]; result: string }
  debug_getBadBlocks: { params: readonly []; result: Record<string, unknown>[] }
  debug_setHead: { params: readonly [number: Uint64]; result: null }
  debug_seedHash: { params: readonly [number: Height | BlockTag | number]; result: Bytes32 }
  debug_dumpBlock: { params: readonly [block: BlockNumber]; result: StateDump }
  debug_accountRange: { params: readonly [block: BlockParameter, start: Hex | string, maxResults: number, withoutCode?: boolean | null | undefined, withoutStorage?: boolean | null | undefined, incompletes?: boolean | null | undefined]; result: StateDump }
  debug_storageRangeAt: { params: readonly [block: BlockParameter, index: number, address: Address, start: Hex | string, maxResults: number]; result: StorageRange }
  debug_getModifiedAccountsByNumber: { params: readonly [start: Height | BlockTag | number, end?: Height | BlockTag | number | null | undefined]; result: Address[] }
  debug_getModifiedAccountsByHash: { params: readonly [start: Hash, end?: Hash | null | undefined]; result: Address[] }
  debug_preimage: { params: readonly [hash: Hash]; result: Data }
  debug_getAccessibleState: { params: readonly [from: Height | BlockTag | number, to: Height | BlockTag | number]; result: number }
  debug_traceBadBlock: { params: readonly [blockHash: Hash, config?: TraceConfig | null | undefined]; result: unknown }
  debug_clearTxpool: { params: readonly []; result: null }
  debug_dbGet: { params: readonly [key?: unknown]; result: unknown }
  debug_dbAncient: { params: readonly [kind?: unknown, number?: unknown]; result: unknown }
  debug_dbAncients: { params: readonly []; result: unknown }
  debug_chaindbProperty: { params: readonly [property?: unknown]; result: unknown }
  debug_chaindbCompact: { params: readonly []; result: unknown }
  debug_setMemoryLimit: { params: readonly [limit?: unknown]; result: unknown }
  debug_traceTransaction: { params: readonly [transactionHash: Hash, config?: TraceConfig | null | undefined]; result: unknown }
  debug_traceBlockByNumber: { params: readonly [block: BlockNumber, config?: TraceConfig | null | undefined]; result: ({ txHash?: Hash | undefined; result?: unknown; error?: string | undefined })[] }
  debug_traceBlockByHash: { params: readonly [blockHash: Hash, config?: TraceConfig | null | undefined]; result: ({ txHash?: Hash | undefined; result?: unknown; error?: string | undefined })[] }
  debug_traceBlock: { params: readonly [rlp: Data, config?: TraceConfig | null | undefined]; result: ({ txHash?: Hash | undefined; result?: unknown; error?: string | undefined })[] }
  debug_traceBlockFromFile: { params: readonly [file: string, config?: TraceConfig | null | undefined]; result: ({ txHash?: Hash | undefined; result?: unknown; error?: string | undefined })[] }
  debug_standardTraceBlockToFile: { params: readonly [blockHash: Hash, config?: FileTraceConfig | null | undefined]; result: string[] }
  debug_standardTraceBadBlockToFile: { params: readonly [blockHash: Hash, config?: FileTraceConfig | null | undefined]; result: string[] }
  debug_traceCall: { params: readonly [transaction: TransactionRequest, block?: BlockParameter | null | undefined, config?: CallTraceConfig | null | undefined]; result: unknown }
  debug_executionWitness: { params: readonly [block: BlockParameter | number]; result: ExecutionWitness }
  debug_intermediateRoots: { params: readonly [blockHash: Hash, config?: TraceConfig | null | undefined]; result: Hash[] }
  debug_subscribe: { params: readonly [kind: "traceChain", start: BlockNumber, end: BlockNumber, config?: TraceConfig | null | undefined]; result: Quantity }
  debug_unsubscribe: { params: readonly [subscriptionId: Quantity]; result: boolean }
  debug_memStats: { params: readonly []; result: Record<string, unknown> }
  debug_gcStats: { params: readonly []; result: Record<string, unknown> }
  debug_freeOSMemory: { params: readonly []; result: null }
  debug_setGCPercent: { params: readonly [percent: number]; result: number }
  debug_stacks: { params: readonly [filter?: string | null | undefined]; result: string }
  debug_cpuProfile: { params: readonly [file: string, seconds: number]; result: string[] }
  debug_startCPUProfile: { params: readonly [file: string]; result: null }
  debug_stopCPUProfile: { params: readonly []; result: string[] }
  debug_goTrace: { params: readonly [file: string, seconds: number]; result: string[] }
  debug_startGoTrace: { params: readonly [file: string]; result: null }
  debug_stopGoTrace: { params: readonly []; result: string[] }
  debug_blockProfile: { params: readonly [file: string, seconds: number]; result: string[] }
  debug_setBlockProfileRate: { params: readonly [rate: number]; result: null }
  debug_writeBlockProfile: { params: readonly [file: string]; result: string[] }
  debug_mutexProfile: { params: readonly [file: string, seconds: number]; result: string[] }
  debug_setMutexProfileFraction: { params: readonly [rate: number]; result: null }
  debug_writeMutexProfile: { params: readonly [file: string]; result: string[] }
  debug_writeMemProfile: { params: readonly [file: string]; result: string[] }
  debug_verbosity: { params: readonly [level: number]; result: null }
  debug_vmodule: { params: readonly [pattern: string]; result: null }
  debug_backtraceAt: { params: readonly [location: string]; result: null }
  trace_transaction: { params: readonly [transactionHash: Hash]; result: ParityTrace[] | null }
  trace_get: { params: readonly [transactionHash: Hash, positions: (number | Uint64)[]]; result: ParityTrace | null }
  trace_block: { params: readonly [block: BlockParameter]; result: ParityTrace[] }
  trace_filter: { params: readonly [filter: TraceFilter]; result: ParityTrace[] }
  trace_replayTransaction: { params: readonly [transactionHash: Hash, kinds: ("trace" | "stateDiff" | "vmTrace")[]]; result: ParityTraces }
  trace_replayBlockTransactions: { params: readonly [block: BlockParameter, kinds: ("trace" | "stateDiff" | "vmTrace")[]]; result: ParityTraces[] }
  trace_call: { params: readonly [transaction: TransactionRequest, kinds: ("trace" | "stateDiff" | "vmTrace")[], block?: BlockParameter | null | undefined, stateOverrides?: StateOverrides | null | undefined, blockOverrides?: BlockOverrides | null | undefined]; result: ParityTraces }
  trace_callMany: { params: readonly [calls: unknown[][], block?: BlockParameter | null | undefined]; result: ParityTraces[] }
  trace_rawTransaction: { params: readonly [transaction: Data, kinds: ("trace" | "stateDiff" | "vmTrace")[], block?: BlockParameter | null | undefined]; result: ParityTraces }
  ots_getApiLevel: { params: readonly []; result: 8 }
  ots_hasCode: { params: readonly [address: Address, block?: BlockParameter | null | undefined]; result: boolean }
  ots_getInternalOperations: { params: readonly [transactionHash: Hash]; result: { type: number; from: Address; to: Address; value: Quantity }[] }
  ots_getTransactionError: { params: readonly [transactionHash: Hash]; result: Data }
  ots_traceTransaction: { params: readonly [transactionHash: Hash]; result: ({ type: string; depth: number; from: Address; to: Address; value: Quantity | null; input: Data; output: Data })[] }
  ots_getBlockDetails: { params: readonly [block: Height | BlockTag | number]; result: OtsBlockDetails | null }
  ots_getBlockDetailsByHash: { params: readonly [blockHash: Hash]; result: OtsBlockDetails | null }
  ots_getBlockTransactions: { params: readonly [block: Height | BlockTag | number, page: number, pageSize: number]; result: { fullblock: Record<string, unknown>; receipts: Record<string, unknown>[] } | null }
  ots_searchTransactionsBefore: { params: readonly [address: Address, block: number, pageSize: number]; result: { txs: Record<string, unknown>[]; receipts: Record<string, unknown>[]; firstPage: boolean; lastPage: boolean; coversCalls: boolean } }
  ots_searchTransactionsAfter: { params: readonly [address: Address, block: number, pageSize: number]; result: { txs: Record<string, unknown>[]; receipts: Record<string, unknown>[]; firstPage: boolean; lastPage: boolean; coversCalls: boolean } }
  ots_getTransactionBySenderAndNonce: { params: readonly [sender: Address, nonce: Uint64 | number]; result: Hash | null }
  ots_getContractCreator: { params: readonly [address: Address]; result: { hash: Hash; creator: Address } | null }
  erigon_forks: { params: readonly []; result: { genesis: Hash; heightForks: number[]; timeForks: number[] } }
  erigon_getHeaderByNumber: { params: readonly [block: Height | BlockTag | number]; result: Header | null }
  erigon_getHeaderByHash: { params: readonly [blockHash: Hash]; result: Header | null }
  erigon_getBlockByTimestamp: { params: readonly [timestamp: Uint64 | number, full?: boolean | null | undefined]; result: Block | null }
  erigon_getBlockReceiptsByBlockHash: { params: readonly [blockHash: Hash]; result: Receipt[] | null }
  erigon_getLogsByHash: { params: readonly [blockHash: Hash]; result: Log[][] | null }
  erigon_getLatestLogs: { params: readonly [filter: Filter & ({ fromBlock?: BlockNumber | null | undefined; toBlock?: BlockNumber | null | undefined; address?: Address | Address[] | null | undefined; topics?: (null | Hash | (Hash | null)[])[] | null | undefined; blockhash?: Hash | null | undefined; blockHash?: Hash | null | undefined }), options?: LatestLogOptions | null | undefined]; result: Log[] }
  personal_newAccount: { params: readonly [passphrase: string]; result: Address }
  personal_importRawKey: { params: readonly [privateKey: string, password: string]; result: Address }
  personal_listAccounts: { params: readonly []; result: Address[] }
  personal_lockAccount: { params: readonly [address: Address]; result: true }
  personal_unlockAccount: { params: readonly [address: Address, passphrase: string, seconds?: number | null | undefined]; result: true }
  personal_sendTransaction: { params: readonly [transaction: OwnTransaction, passphrase: string]; result: Hash }
  personal_sign: { params: readonly [message: Data, address: Address, passphrase?: string | null | undefined]; result: Data }
  personal_ecRecover: { params: readonly [message: Data, signature: Data]; result: Address }
  personal_signTransaction: { params: readonly [transaction: OwnTransaction, passphrase: string]; result: { raw: Data; tx: Transaction } }
  personal_initializeWallet: { params: readonly [url: string]; result: Bytes32 }
  personal_unpair: { params: readonly [url: string, pairingPassword: string]; result: null }
  personal_openWallet: { params: readonly [url: string, pairingPassword: string]; result: null }
  personal_listWallets: { params: readonly []; result: Wallets }
  personal_deriveAccount: { params: readonly [url: string, path: string, pin?: boolean | null | undefined]; result: WalletAccount }
  miner_getHashrate: { params: readonly []; result: 0 }
  miner_setExtra: { params: readonly [extra: string]; result: false }
  miner_setGasPrice: { params: readonly [price: Quantity]; result: true }
  miner_start: { params: readonly [threads?: Uint64 | null | undefined]; result: null }
  miner_stop: { params: readonly []; result: null }
  miner_setGasLimit: { params: readonly [gasLimit: Uint64]; result: false }
  miner_setEtherbase: { params: readonly [address: Address]; result: true }
  admin_datadir: { params: readonly []; result: string }
  admin_nodeInfo: { params: readonly []; result: { id?: string | undefined; name: string; moniker?: string | undefined; ip?: string | undefined; ports?: { listener: number } | undefined; listenAddr?: string | undefined; protocols: { eth: { network: number; genesis: Hash; head: Hash }; engine?: { version: string } | undefined } } }
  admin_peers: { params: readonly []; result: { id: string; name: string; network: { remoteAddress: string; inbound: boolean }; protocols: { engine: { version: string } } }[] }
  admin_addPeer: { params: readonly [peer: string]; result: boolean }
  admin_removePeer: { params: readonly [peer: string]; result: boolean }
  admin_addTrustedPeer: { params: readonly [peer?: unknown]; result: unknown }
  admin_removeTrustedPeer: { params: readonly [peer?: unknown]; result: unknown }
  admin_peerEvents: { params: readonly []; result: unknown }
  admin_exportChain: { params: readonly [file?: unknown, first?: unknown, last?: unknown]; result: unknown }
  admin_importChain: { params: readonly [file?: unknown]; result: unknown }
  admin_startRPC: { params: readonly [host?: string | null | undefined, port?: number | null | undefined, cors?: string | null | undefined, apis?: string | null | undefined, vhosts?: string | null | undefined]; result: true }
  admin_stopRPC: { params: readonly []; result: boolean }
  admin_startHTTP: { params: readonly [host?: string | null | undefined, port?: number | null | undefined, cors?: string | null | undefined, apis?: string | null | undefined, vhosts?: string | null | undefined]; result: true }
  admin_stopHTTP: { params: readonly []; result: boolean }
  admin_startWS: { params: readonly [host?: string | null | undefined, port?: number | null | undefined, cors?: string | null | undefined, apis?: string | null | undefined, vhosts?: string | null | undefined]; result: true }
  admin_stopWS: { params: readonly []; result: boolean }
  clique_getSnapshot: { params: readonly [block?: BlockNumber | null | undefined]; result: { number: number; hash: Hash; signers: Record<string, Record<string, unknown>>; recents: Record<string, Address>; votes: unknown[]; tally: Record<string, unknown> } }
  clique_getSnapshotAtHash: { params: readonly [blockHash: Hash]; result: { number: number; hash: Hash; signers: Record<string, Record<string, unknown>>; recents: Record<string, Address>; votes: unknown[]; tally: Record<string, unknown> } }
  clique_getSigners: { params: readonly [block?: BlockNumber | null | undefined]; result: Address[] }
  clique_proposals: { params: readonly []; result: Record<string, boolean> }
  clique_propose: { params: readonly [address: Address, authorize: boolean]; result: null }
  clique_discard: { params: readonly [address: Address]; result: null }
  clique_status: { params: readonly []; result: { inturnPercent: number; sealerActivity: Record<string, number>; numBlocks: number } }
  anvil_mine: { params: readonly [blocks?: number | string | null | undefined, interval?: number | string | null | undefined]; result: null }
  hardhat_mine: { params: readonly [blocks?: number | string | null | undefined, interval?: number | string | null | undefined]; result: null }
  evm_mine: { params: readonly [options?: number | string | { timestamp?: number | string | null | undefined; blocks?: number | string | null | undefined } | null | undefined]; result: string }
  anvil_mine_detailed: { params: readonly [options?: number | string | { timestamp?: number | string | null | undefined; blocks?: number | string | null | undefined } | null | undefined]; result: Record<string, unknown>[] }
  evm_mine_detailed: { params: readonly [options?: number | string | { timestamp?: number | string | null | undefined; blocks?: number | string | null | undefined } | null | undefined]; result: Record<string, unknown>[] }
  hardhat_intervalMine: { params: readonly []; result: true }
  anvil_getAutomine: { params: readonly []; result: boolean }
  hardhat_getAutomine: { params: readonly []; result: boolean }
  anvil_setAutomine: { params: readonly [enabled: boolean]; result: null }
  evm_setAutomine: { params: readonly [enabled: boolean]; result: null }
  anvil_setIntervalMining: { params: readonly [seconds: number | string]; result: null }
  evm_setIntervalMining: { params: readonly [seconds: number | string]; result: null }
  anvil_getIntervalMining: { params: readonly []; result: number | null }
  anvil_setNextBlockBaseFeePerGas: { params: readonly [baseFee: number | string]; result: null }
  hardhat_setNextBlockBaseFeePerGas: { params: readonly [baseFee: number | string]; result: null }
  anvil_setMinGasPrice: { params: readonly [gasPrice: number | string]; result: null }
  hardhat_setMinGasPrice: { params: readonly [gasPrice: number | string]; result: null }
  anvil_setNextBlockPrevRandao: { params: readonly [prevRandao: Bytes32]; result: null }
  hardhat_setPrevRandao: { params: readonly [prevRandao: Bytes32]; result: null }
  anvil_setBlockGasLimit: { params: readonly [gasLimit: number | string]; result: true }
  evm_setBlockGasLimit: { params: readonly [gasLimit: number | string]; result: true }
  anvil_setCoinbase: { params: readonly [address: Address]; result: null }
  hardhat_setCoinbase: { params: readonly [address: Address]; result: null }
  anvil_increaseTime: { params: readonly [seconds: number | string]; result: number }
  evm_increaseTime: { params: readonly [seconds: number | string]; result: number }
  anvil_setTime: { params: readonly [time: number | string]; result: number }
  evm_setTime: { params: readonly [time: number | string]; result: number }
  anvil_setNextBlockTimestamp: { params: readonly [time: number | string]; result: null }
  evm_setNextBlockTimestamp: { params: readonly [time: number | string]; result: null }
  anvil_setBlockTimestampInterval: { params: readonly [seconds: number | string]; result: null }
  anvil_removeBlockTimestampInterval: { params: readonly []; result: boolean }
  anvil_setBalance: { params: readonly [address: Address, balance: number | string]; result: null }
  hardhat_setBalance: { params: readonly [address: Address, balance: number | Quantity]; result: null }
  anvil_addBalance: { params: readonly [address: Address, balance: number | string]; result: null }
  hardhat_addBalance: { params: readonly [address: Address, balance: number | string]; result: null }
  anvil_setNonce: { params: readonly [address: Address, nonce: number | string]; result: null }
  evm_setAccountNonce: { params: readonly [address: Address, nonce: number | string]; result: null }
  hardhat_setNonce: { params: readonly [address: Address, nonce: number | string]; result: null }
  anvil_setCode: { params: readonly [address: Address, code: Data]; result: null }
  hardhat_setCode: { params: readonly [address: Address, code: Data]; result: null }
  anvil_setStorageAt: { params: readonly [address: Address, slot: Hex | number, value: Hex | number]; result: true }
  hardhat_setStorageAt: { params: readonly [address: Address, slot: Hex | number, value: Hex | number]; result: true }
  evm_setAccountBalance: { params: readonly [address: Address, balance: number | string]; result: true }
  evm_setAccountCode: { params: readonly [address: Address, code: Data]; result: true }
  evm_setAccountStorageAt: { params: readonly [address: Address, slot: Hex | number, value: Hex | number]; result: true }
  anvil_dealERC20: { params: readonly [address: Address, token: Address, balance: number | string]; result: null }
  hardhat_dealERC20: { params: readonly [address: Address, token: Address, balance: number | string]; result: null }
  anvil_setERC20Balance: { params: readonly [address: Address, token: Address, balance: number | string]; result: null }
  anvil_setERC20Allowance: { params: readonly [owner: Address, spender: Address, token: Address, amount: number | string]; result: null }
  anvil_snapshot: { params: readonly []; result: Quantity }
  evm_snapshot: { params: readonly []; result: Quantity }
  anvil_revert: { params: readonly [id: number | string]; result: boolean }
  evm_revert: { params: readonly [id: number | string]; result: boolean }
  anvil_rollback: { params: readonly [depth?: number | string | null | undefined]; result: null }
  anvil_reorg: { params: readonly [depth: number | string | { depth: number | string; tx_block_pairs: unknown[][] }, transactions?: unknown[][] | null | undefined]; result: null }
  anvil_setRpcUrl: { params: readonly [url: string]; result: null }
  anvil_setChainId: { params: readonly [chainId: number | string]; result: null }
  anvil_reset: { params: readonly [options?: { forking?: { jsonRpcUrl?: string | null | undefined; blockNumber?: number | string | null | undefined } | null | undefined; jsonRpcUrl?: string | null | undefined; blockNumber?: number | string | null | undefined } | null | undefined]; result: null }
  hardhat_reset: { params: readonly [options?: { forking?: { jsonRpcUrl?: string | null | undefined; blockNumber?: number | string | null | undefined } | null | undefined; jsonRpcUrl?: string | null | undefined; blockNumber?: number | string | null | undefined } | null | undefined]; result: null }
  anvil_impersonateAccount: { params: readonly [address: Address]; result: null }
  hardhat_impersonateAccount: { params: readonly [address: Address]; result: null }
  anvil_stopImpersonatingAccount: { params: readonly [address: Address]; result: null }
  hardhat_stopImpersonatingAccount: { params: readonly [address: Address]; result: null }
  anvil_autoImpersonateAccount: { params: readonly [enabled: boolean]; result: null }
  hardhat_autoImpersonateAccount: { params: readonly [enabled: boolean]; result: null }
  eth_sendUnsignedTransaction: { params: readonly [transaction: OwnTransaction]; result: Hash }
  anvil_dropTransaction: { params: readonly [transactionHash: Hash]; result: Data | null }
  hardhat_dropTransaction: { params: readonly [transactionHash: Hash]; result: boolean }
  anvil_dropAllTransactions: { params: readonly []; result: null }
  hardhat_dropAllTransactions: { params: readonly []; result: null }
  anvil_removePoolTransactions: { params: readonly [address: Address]; result: null }
  anvil_dumpState: { params: readonly [preserveHistory?: boolean | null | undefined]; result: Data }
  hardhat_dumpState: { params: readonly [preserveHistory?: boolean | null | undefined]; result: Data }
  anvil_loadState: { params: readonly [state: Data]; result: true }
  hardhat_loadState: { params: readonly [state: Data]; result: true }
  anvil_nodeInfo: { params: readonly []; result: Record<string, unknown> }
  anvil_metadata: { params: readonly []; result: Record<string, unknown> }
  hardhat_metadata: { params: readonly []; result: Record<string, unknown> }
  anvil_getGenesisTime: { params: readonly []; result: number }
  anvil_getLastBlockWallTime: { params: readonly []; result: number }
  anvil_setLoggingEnabled: { params: readonly [enabled: boolean]; result: null }
  hardhat_setLoggingEnabled: { params: readonly [enabled: boolean]; result: null }
  hardhat_addCompilationResult: { params: readonly [solcVersion: string, compilerInput: unknown, compilerOutput: unknown]; result: true }
  hardhat_getStackTraceFailuresCount: { params: readonly []; result: number }
  perihelion_setAbi: { params: readonly [address: Address, name: string, abi: unknown]; result: true }
  perihelion_removeAbi: { params: readonly [address: Address]; result: boolean }
  perihelion_abis: { params: readonly [addresses?: Address[] | null | undefined]; result: { address: Address; name: string; abi: unknown[] }[] }
  perihelion_compiledContract: { params: readonly [code: Data, isCreation?: boolean | null | undefined]; result: { name: string; source: string; abi: unknown[]; sourceMap: string; creationCode: Data; creationMap: string; sources: { id: number; path: string; content: string }[] } | null }
  perihelion_stackTrace: { params: readonly [transactionHash: Hash]; result: { cause?: string | undefined; frames: ({ address: Address; contract?: string | undefined; function?: string | undefined; file?: string | undefined; line?: number | undefined })[]; lines: string[] } | null }
  anvil_impersonateSignature: { params: readonly [signature: Data, address: Address]; result: null }
  anvil_getBlobByHash: { params: readonly [versionedHash: Hash]; result: unknown }
  anvil_getBlobsByTransactionHash: { params: readonly [transactionHash: Hash]; result: unknown }
  anvil_classifyTransaction: { params: readonly [transaction: Data]; result: unknown }
  anvil_dealTIP20: { params: readonly [address: Address, token: Address, balance: number | string]; result: null }
  anvil_setFeeToken: { params: readonly [user: Address, token: Address]; result: null }
  anvil_setValidatorFeeToken: { params: readonly [validator: Address, token: Address]; result: null }
  anvil_setFeeAmmLiquidity: { params: readonly [userToken: Address, validatorToken: Address, amount: number | string]; result: null }
  evm_addAccount: { params: readonly [address: Address, passphrase: string]; result: unknown }
  evm_removeAccount: { params: readonly [address: Address, passphrase: string]; result: unknown }
  cosmos_getTransactionHash: { params: readonly [transactionHash: Hash]; result: string | null }
  cosmos_getEthereumHash: { params: readonly [cosmosHash: NativeHash]; result: Data | null }
  cosmos_cosmosTxHashByTxHash: { params: readonly [transactionHash: Hash]; result: string | null }
  cosmos_txHashByCosmosTxHash: { params: readonly [cosmosHash: NativeHash]; result: Data | null }
  cosmos_toBech32: { params: readonly [address: Address, prefix?: string | null | undefined]; result: Bech32 }
  cosmos_toHex: { params: readonly [bech32: Bech32]; result: Data }
  cosmos_getBlock: { params: readonly [block?: BlockParameter | null | undefined]; result: Record<string, unknown> | null }
  cosmos_getBlockResults: { params: readonly [block?: BlockParameter | null | undefined]; result: Record<string, unknown> | null }
  cosmos_getTransaction: { params: readonly [hash: NativeHash]; result: Record<string, unknown> | null }
  perihelion_validators: { params: readonly [block?: BlockParameter | null | undefined]; result: Validator[] }
  perihelion_traceSteps: { params: readonly [transactionHash: Hash, from: number, count: number]; result: { steps: ({ step: number; pc: number; op: string; depth: number; gas: number; gasCost: number; address: Address; code: Address | null; error?: string | undefined; stack: string[]; memorySize: number; memory: Data })[]; count: number; total: number; failed: boolean; marks: ({ kind: "enter" | "leave" | "store" | "fail"; step: number; depth: number; address?: Address | undefined; slot?: string | undefined; value?: string | undefined })[]; marksCut: ("enter" | "leave" | "store" | "fail")[] } }
  perihelion_status: { params: readonly []; result: Status }
  perihelion_lightBlock: { params: readonly [heights: (Height | BlockTag | number)[], knownValidators?: Hash | null | undefined]; result: LightBlock[] }
  perihelion_proofs: { params: readonly [request: ProofRequest, block?: BlockParameter | null | undefined]; result: Proofs }
  perihelion_callWitness: { params: readonly [question: WitnessQuestion, block?: BlockParameter | null | undefined, knownCodes?: Hash[] | null | undefined]; result: CallWitness }
  perihelion_chainConfig: { params: readonly []; result: Record<string, unknown> }
  rpc_modules: { params: readonly []; result: Record<string, string> }
  'rpc.discover': { params: readonly []; result: Record<string, unknown> }
  eth_getCompilers: { params: readonly []; result: string[] }
  eth_compileSolidity: { params: readonly [source?: unknown]; result: unknown }
  eth_compileLLL: { params: readonly [source?: unknown]; result: unknown }
  eth_compileSerpent: { params: readonly [source?: unknown]; result: unknown }
  les_serverInfo: { params: readonly []; result: unknown }
  les_clientInfo: { params: readonly [clients?: unknown]; result: unknown }
  les_priorityClientInfo: { params: readonly [start?: unknown, stop?: unknown, maxCount?: unknown]; result: unknown }
  les_addBalance: { params: readonly [client?: unknown, amount?: unknown, meta?: unknown]; result: unknown }
  les_setClientParams: { params: readonly [clients?: unknown, params?: unknown]; result: unknown }
  les_setDefaultParams: { params: readonly [params?: unknown]; result: unknown }
  les_latestCheckpoint: { params: readonly []; result: unknown }
  les_getCheckpoint: { params: readonly [index?: unknown]; result: unknown }
  les_getCheckpointContractAddress: { params: readonly []; result: unknown }
  shh_version: { params: readonly []; result: unknown }
  shh_post: { params: readonly [message?: unknown]; result: unknown }
  shh_newIdentity: { params: readonly []; result: unknown }
  shh_hasIdentity: { params: readonly [identity?: unknown]; result: unknown }
  shh_newGroup: { params: readonly []; result: unknown }
  shh_addToGroup: { params: readonly [identity?: unknown]; result: unknown }
  shh_newFilter: { params: readonly [filter?: unknown]; result: unknown }
  shh_uninstallFilter: { params: readonly [filterId?: unknown]; result: unknown }
  shh_getFilterChanges: { params: readonly [filterId?: unknown]; result: unknown }
  shh_getMessages: { params: readonly [filterId?: unknown]; result: unknown }
  db_putString: { params: readonly [database?: unknown, key?: unknown, value?: unknown]; result: unknown }
  db_getString: { params: readonly [database?: unknown, key?: unknown]; result: unknown }
  db_putHex: { params: readonly [database?: unknown, key?: unknown, value?: unknown]; result: unknown }
  db_getHex: { params: readonly [database?: unknown, key?: unknown]; result: unknown }
}
