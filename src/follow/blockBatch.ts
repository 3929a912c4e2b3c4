/** What a node answers about one block, as JSON. */
export interface BlockTexts {
  readonly block: Buffer
  /** Undefined if neither receipts nor logs are wanted. */
  readonly receipts: Buffer | undefined
  /** What `callTracer` answers, if traces are wanted. */
  readonly traces: Buffer | undefined
}

/** What follows from the records of a block for the feed. */
export interface BlockFacts {
  readonly hash: string
  readonly parentHash: string
  readonly transactions: number
}

/** Collects some blocks that follow each other, in the form of an output. */
export interface BlockBatch {
  add(texts: BlockTexts): BlockFacts
}
