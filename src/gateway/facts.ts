import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { Dialect } from '../cosmos/transaction/dialect.ts'

/** Whose words a chain speaks (conversion by family; a block's messages are told apart one by one). */
export type Family =
  | 'perihelion'
  | 'ethermint'
  | 'cosmos-evm-0.1'
  | 'cosmos-evm-0.4'
  | 'cosmos-evm-0.5'
  | 'cosmos-evm-0.7'

/** What is found out about a chain once, at the start. */
export interface ChainFacts {
  readonly family: Family
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
  readonly hasOwnMempool: boolean
}

const fieldFamilies: ReadonlySet<Family> = new Set(['ethermint', 'cosmos-evm-0.1'])

/** Returns the form of the chain's transactions. */
export const dialectOf = ({
  family,
  evmPackage,
  feeDenom,
}: Pick<ChainFacts, 'family' | 'evmPackage' | 'feeDenom'>): Dialect => ({
  evmPackage,
  feeDenom,
  messageLayout: fieldFamilies.has(family) ? 'fields' : 'raw',
})
