import { evmDenom } from '../denom.ts'

/**
 * How a message holds an Ethereum transaction: `raw` has the sender and the signed bytes (cosmos/evm from 0.4 on),
 * `fields` has each field by name (Ethermint, and cosmos/evm before 0.4).
 */
export type MessageLayout = 'raw' | 'fields'

/** The differences between chains in how they encode transactions. */
export interface Dialect {
  /** The package of the EVM module's messages, such as `cosmos.evm.vm.v1`. */
  readonly evmPackage: string
  /** The coin in which fees are paid, with 18 decimals. */
  readonly feeDenom: string
  readonly messageLayout: MessageLayout
}

/** The package of cosmos/evm's EVM module. Perihelion chains use the same messages. */
export const cosmosEvmPackage = 'cosmos.evm.vm.v1'

/** The dialect of Perihelion chains. */
export const perihelionDialect: Dialect = {
  evmPackage: cosmosEvmPackage,
  feeDenom: evmDenom,
  messageLayout: 'raw',
}
