/** What the node answers, as far as the page reads it. */
export type Hex = `0x${string}`

export interface Block {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
  readonly gasUsed: Hex
  readonly gasLimit: Hex
  readonly baseFeePerGas?: Hex
  readonly miner: Hex
  readonly size: Hex
  readonly stateRoot: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  readonly extraData: Hex
  readonly mixHash?: Hex
  readonly blobGasUsed?: Hex
  readonly withdrawals?: readonly unknown[]
  readonly transactions: readonly Hex[]
}

export interface FullBlock extends Omit<Block, 'transactions'> {
  readonly transactions: readonly Transaction[]
}

export interface Transaction {
  readonly hash: Hex
  readonly blockHash: Hex | null
  readonly blockNumber: Hex | null
  readonly transactionIndex: Hex | null
  readonly from: Hex
  readonly to: Hex | null
  readonly value: Hex
  readonly nonce: Hex
  readonly gas: Hex
  readonly gasPrice: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly input: Hex
  readonly type: Hex
  // Some chains give null for a list that their type of transaction has not.
  readonly accessList?: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[] | null
  readonly authorizationList?:
    | readonly {
        readonly address: Hex
        readonly chainId: Hex
        readonly nonce: Hex
      }[]
    | null
  readonly blobVersionedHashes?: readonly Hex[] | null
  /** What a Cosmos transaction is, in the Cosmos view of a gateway. */
  readonly cosmos?: { readonly types?: readonly string[] }
}

export interface Log {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
  readonly logIndex: Hex
  readonly blockTimestamp?: Hex
  /** The event of a Cosmos transaction, and the denomination that it moved. */
  readonly cosmos?: { readonly event: string; readonly denom?: string }
}

export interface Receipt {
  readonly transactionHash: Hex
  readonly status?: Hex
  readonly gasUsed: Hex
  readonly cumulativeGasUsed: Hex
  readonly effectiveGasPrice: Hex
  /** Of a transaction with blobs. */
  readonly blobGasUsed?: Hex
  readonly blobGasPrice?: Hex
  readonly contractAddress: Hex | null
  readonly logs: readonly Log[]
}

/** A frame of debug_traceTransaction with callTracer. */
export interface CallFrame {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly value?: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly CallFrame[]
  readonly logs?: readonly Pick<Log, 'address' | 'topics' | 'data'>[]
}

interface AccountState {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly storage?: Readonly<Record<string, Hex>>
}

/** What prestateTracer gives with diffMode. */
export interface StateDiff {
  readonly pre: Readonly<Record<Hex, AccountState>>
  readonly post: Readonly<Record<Hex, AccountState>>
}

export interface Status {
  readonly mode: string
  readonly height: Hex
  readonly fork: string
  readonly forks: readonly { readonly name: string; readonly at: Hex; readonly by: string }[]
  readonly versions: { readonly perihelion: string; readonly node: string; readonly engine: string | null }
  readonly modified: boolean
}

export interface Validator {
  readonly pubkey: Hex
  readonly cometbftAddress: Hex
  readonly power: Hex
  readonly reward: Hex | null
}

export interface FoundTransactions {
  readonly txs: readonly Transaction[]
  readonly receipts: readonly (Receipt & { readonly timestamp: number })[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}
