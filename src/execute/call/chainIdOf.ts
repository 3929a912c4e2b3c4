import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'

/**
 * Returns the chain id with which a block of the chain was made, by its first transaction that names one: a chain for
 * development may have another by now.
 */
export const chainIdOf = <T>(
  config: ChainConfig,
  included: readonly T[],
  read: (one: T) => Transaction,
): bigint => {
  for (const one of included) {
    const { chainId } = read(one)
    if (chainId !== undefined) return chainId
  }
  return config.chainId
}
