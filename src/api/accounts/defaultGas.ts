import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { latest, readState } from '../answers/lookup.ts'
import { estimateGas } from './estimateGas.ts'

/** The gas of a transaction that states none, by the specification. */
const defaultGas = 90_000n

const pending: BlockRef = { kind: 'tag', tag: 'pending' }

/**
 * The largest pool behind whose transactions a new one is estimated: they are executed for it. With more, the estimate
 * is that of the latest block.
 */
const maxExecutedBefore = 256

/**
 * Returns 90,000, or the estimate if the transaction needs more. Throws the error of a transaction that fails with any
 * amount: code 3 with the data of a revert.
 */
export const findGas = async (
  chain: Chain,
  request: TransactionRequest,
  signal: AbortSignal,
  block: BlockRef = latest,
): Promise<bigint> => {
  const estimate = await estimateGas(chain, { request }, block, signal)
  return estimate > defaultGas ? estimate : defaultGas
}

/**
 * Does the same for a transaction that is sent, behind those that wait before it. The fees are left to the pool, which
 * takes a transaction that pays less than the base fee, and tells in its own words of an account that cannot pay.
 */
export const findGasToSend = async (
  chain: Chain,
  request: TransactionRequest,
  signal: AbortSignal,
): Promise<bigint> => {
  const { gasPrice: _, maxFeePerGas: __, maxPriorityFeePerGas: ___, ...free } = request
  const { from, value = 0n } = request
  if (from !== undefined && value > (await readState(chain, latest, (state) => state.balance(from))))
    return defaultGas
  const { pending: waiting } = chain.pool.counts()
  return findGas(chain, free, signal, waiting > 0 && waiting <= maxExecutedBefore ? pending : latest)
}
