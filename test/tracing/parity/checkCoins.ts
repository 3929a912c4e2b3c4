import { endsOf } from './checkState.ts'
import type { Replayed } from './types.ts'

/** Checks that no coins come or go: what all balances lose together is the base fee, and what destructions burn. */

/**
 * Whether a destruction may burn coins: a contract that is created and destroyed in one transaction takes what it keeps,
 * or is sent afterwards, with it.
 */
const mayBurn = ({ trace }: Replayed): boolean => {
  const created = new Set(trace.map(({ result }) => result?.address))
  return trace.some(({ type, action }) => type === 'suicide' && created.has(action.address))
}

export const checkCoins = (replayed: Replayed, baseFee: bigint): string[] => {
  let lost = 0n
  for (const { balance } of Object.values(replayed.stateDiff)) {
    const { from, to } = endsOf(balance) ?? { from: undefined, to: undefined }
    lost += BigInt(from ?? 0) - BigInt(to ?? 0)
  }
  const isRight = mayBurn(replayed) ? lost >= baseFee : lost === baseFee
  return isRight ? [] : [`balances lose ${lost}, the base fee is ${baseFee}`]
}
