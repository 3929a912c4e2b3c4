/** Where a transaction stands: the height of its block, and its index there. */
export interface TransactionPlace {
  readonly number: number
  readonly index: number
}
