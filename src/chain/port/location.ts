/** The position of a transaction in the chain: the number of its block and its index in that block. */
export interface TransactionLocation {
  readonly number: number
  readonly index: number
}
