import { type Fork, since } from '../config/forks.ts'
import type { AccessListEntry } from './transaction.ts'

/** The fields of a transaction that determine its intrinsic gas. */
export interface IntrinsicGasFields {
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  readonly authorizationList: readonly unknown[]
}

/** The least gas of a transaction. */
export const transferGas = 21_000n

const zeroBytes = (data: Uint8Array): number => {
  let count = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) count++
  return count
}

/** The gas of each authorization, and the refund if its account exists (EIP-7702). */
const authorizationGas = 25_000n
export const authorizationRefund = 12_500n

/** Returns the gas that a transaction pays before its first instruction. */
export const intrinsicGas = (
  fork: Fork,
  { to, data, accessList, authorizationList }: IntrinsicGasFields,
): bigint => {
  const zeros = zeroBytes(data)
  const nonZeroGas = since(fork, 'istanbul') ? 16 : 68
  let gas = Number(transferGas) + zeros * 4 + (data.length - zeros) * nonZeroGas
  if (to === undefined) {
    if (since(fork, 'homestead')) gas += 32_000
    if (since(fork, 'shanghai')) gas += Math.ceil(data.length / 32) * 2
  }
  for (const { storageKeys } of accessList) gas += 2_400 + storageKeys.length * 1_900
  return BigInt(gas) + BigInt(authorizationList.length) * authorizationGas
}

/** Returns the least gas that a transaction pays for its data (EIP-7623); zero before Prague. */
export const floorGas = (fork: Fork, data: Uint8Array): bigint => {
  if (!since(fork, 'prague')) return 0n
  const zeros = zeroBytes(data)
  return transferGas + BigInt((zeros + (data.length - zeros) * 4) * 10)
}

/**
 * Returns the gas that is charged in the end: refunds reduce it up to a share (EIP-3529), and the floor
 * applies.
 */
export const chargedGas = (fork: Fork, gasUsed: bigint, refund: bigint, floor: bigint): bigint => {
  const cap = gasUsed / (since(fork, 'london') ? 5n : 2n)
  const charged = gasUsed - (refund < cap ? refund : cap)
  return charged < floor ? floor : charged
}
