import type { MessageLayout } from '../cosmos/transaction/dialect.ts'

/** How the nodes of a family differ in what they can do and how they write it. */
export interface FamilyTraits {
  readonly capabilities: Capabilities
  /** How the fee market module stores its base fee: as an integer, or scaled by 10^18. */
  readonly baseFeeScale: 'whole' | 'decimal'
  /** How transactions that are sent to the chain are encoded. */
  readonly messageLayout: MessageLayout
}

/** The features of the family's nodes. */
export interface Capabilities {
  /** Calls can be executed with state overrides. */
  readonly stateOverrides: boolean
  /** Calls can be traced, which access lists need. */
  readonly callTraces: boolean
  /** Calls report the gas that they used, before it is rounded up to a share of their limit. */
  readonly maxUsedGas: boolean
  /** The EVM module has a query for the lowest gas price that all nodes accept. */
  readonly globalMinGasPrice: boolean
  /**
   * A transaction that CheckTx rejects for its nonce gap is queued nevertheless, and included when the gap is filled.
   */
  readonly nonceGapQueue: boolean
}
