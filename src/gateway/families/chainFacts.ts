import type { ChainConfig } from '../../chain/config/chainConfig.ts'

/** What is found out about a chain once, at the start. Plain data: it crosses threads. */
export interface ChainFacts {
  /** The name of its family: `familyOf` gives the family itself. */
  readonly family: string
  /** CometBFT's name of the chain. */
  readonly nativeChainId: string
  /** Forks and the EVM's chain id, in geth's terms. */
  readonly config: ChainConfig
  /** In which the fee of a native transaction is paid, at 18 decimals. */
  readonly feeDenom: string
  readonly decimals: number
  readonly bech32Prefix: string
  /** The package of the EVM module's queries and messages: `cosmos.evm.vm.v1`. */
  readonly evmPackage: string
  readonly feemarketPackage: string
  /** The lowest height whose block is kept by a node, and whose state is. */
  readonly earliestBlock: number
  readonly earliestState: number
  /** Whether what waits for a block is held by the application, where no query shows it. */
  readonly hasAppMempool: boolean
}
