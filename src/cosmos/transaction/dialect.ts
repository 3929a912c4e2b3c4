import { evmDenom } from '../denom.ts'

/**
 * How a message holds an Ethereum transaction: `raw` is its sender and its signed bytes (cosmos/evm from 0.4 on),
 * `fields` is each of its fields by name (Ethermint, and cosmos/evm before 0.4).
 */
export type MessageLayout = 'raw' | 'fields'

/** What differs between chains in the form of their transactions. */
export interface Dialect {
  /** The package of the EVM module's messages: `cosmos.evm.vm.v1`. */
  readonly evmPackage: string
  /** The coin in which fees are paid, at 18 decimals. */
  readonly feeDenom: string
  readonly messageLayout: MessageLayout
}

/** The package of the EVM module of cosmos/evm, whose words the application of this project speaks. */
export const cosmosEvmPackage = 'cosmos.evm.vm.v1'

/** The form of transactions on chains that this project's application runs. */
export const perihelionDialect: Dialect = {
  evmPackage: cosmosEvmPackage,
  feeDenom: evmDenom,
  messageLayout: 'raw',
}
