import type { ChainConfig } from '../chain/config/chainConfig.ts'

/**
 * The result of the detection of a chain, which runs once at the start. It is plain data, because it is passed between threads.
 */
export interface ChainInfo {
  /** The name of the family; `familyOf` returns the family itself. */
  readonly family: string
  /** The family that the nodes answer as, if the operator configured another. */
  readonly answersAs?: string
  /** CometBFT's id of the chain. */
  readonly nativeChainId: string
  /** The forks and the EVM's chain id, as in geth's config. */
  readonly config: ChainConfig
  /** The coin in which the fee of a native transaction is paid, with 18 decimals. */
  readonly feeDenom: string
  readonly decimals: number
  readonly bech32Prefix: string
  /** The package of the EVM module's queries and messages, such as `cosmos.evm.vm.v1`. */
  readonly evmPackage: string
  readonly feemarketPackage: string
  /** The lowest heights whose block and whose state an upstream keeps. */
  readonly earliestBlock: number
  readonly earliestState: number
  /** Whether pending transactions are held by the application, where no query shows them. */
  readonly hasAppMempool: boolean
  /** Whether nodes answer at pruned heights from an empty state, so that each response must be checked. */
  readonly needsStateWitness?: boolean
}
