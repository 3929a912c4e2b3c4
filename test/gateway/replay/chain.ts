/** A chain that a replay server speaks for. Answers are JSON text, as they go over the wire. */
export interface ReplayChain {
  readonly nativeChainId: string
  /** The version of CometBFT that it claims to run on. */
  readonly engine: string
  readonly oldEngine: boolean
  /** The lowest height whose block is there, and whose state is. */
  readonly earliest: number
  readonly earliestState: number
  readonly head: number
  /** Whether transactions can be found by hash and event. */
  readonly indexed: boolean
  /** Results of `block`, `block_results`, `consensus_params` and `validators`; undefined where the height is missing. */
  block(height: number): string | undefined
  results(height: number): string | undefined
  consensusParams(height: number): string
  validators(height: number): string
  /** The result of `commit`. */
  commit(height: number): string | undefined
  /** The value of the event NewBlock. */
  newBlock(height: number): string | undefined
  heightOf(blockHash: string): number | undefined
  /** Places of transactions by native hash (upper-case hex), by Ethereum hash (0x), of a block, of heights. */
  find(search: TransactionSearch): readonly TransactionLocation[]
  /** Heights of blocks that used gas. */
  busyHeights(): readonly number[]
  query(path: string, request: Uint8Array, height: number): QueryAnswer
  prove(path: string, key: Uint8Array, height: number): QueryAnswer
  unconfirmed(): readonly Uint8Array[]
  submit(transaction: Uint8Array): Submission
  /** One block more, if the chain can. */
  grow(): void
}

export interface TransactionSearch {
  readonly nativeHash?: string
  readonly ethereumHash?: string
  readonly height?: number
  readonly from?: number
  readonly to?: number
}

export interface TransactionLocation {
  readonly height: number
  readonly index: number
}

export interface QueryAnswer {
  readonly code: number
  readonly log: string
  readonly value: Uint8Array
  /** JSON of `proofOps`. */
  readonly proof?: string
}

export interface Submission {
  readonly code: number
  readonly log: string
  readonly codespace: string
}

/** Why a query has no answer, with the code of the SDK's code space. */
export class QueryError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const unknownPath = new QueryError(6, 'unknown query path: unknown request')

export const futureHeight = new QueryError(
  26,
  'cannot query with height in the future; please provide a valid height: invalid height',
)

export const prunedState = (height: number, head: number): QueryError =>
  new QueryError(
    18,
    `failed to load state at height ${height}; version does not exist (latest height: ${head}): invalid request`,
  )
