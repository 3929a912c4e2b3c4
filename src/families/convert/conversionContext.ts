/** The values that the conversion of a block needs beside the block. Each value is queried once and cached. */
export interface ConversionContext {
  /** The operator address of the proposer; zero if the chain does not know it. */
  readonly miner: Uint8Array
  /** The gas limit in the consensus parameters at this height; -1 for no limit. */
  readonly maxGas: bigint
}
