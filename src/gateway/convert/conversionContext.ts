/** What else the conversion of a block needs, each asked for once and kept. */
export interface ConversionContext {
  /** Of the proposer: the address of its operator; zero where the chain does not know it. */
  readonly miner: Uint8Array
  /** consensus_params at this height: -1 for no limit. */
  readonly maxGas: bigint
}
