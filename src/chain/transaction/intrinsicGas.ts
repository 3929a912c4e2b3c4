import { type Fork, since } from '../config/forks.ts'
import type { AccessListEntry } from './types.ts'

/** What of a transaction is paid for before it runs. */
export interface IntrinsicGasFields {
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  readonly authorizationList: readonly unknown[]
}

const zeroBytes = (data: Uint8Array): number => {
  let count = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) count++
  return count
}

/** EIP-7702: what each authorization costs, and what comes back when its account exists. */
const authorizationGas = 25_000n
export const authorizationRefund = 12_500n

/** What a transaction pays before its first instruction. */
export const intrinsicGas = (
  fork: Fork,
  { to, data, accessList, authorizationList }: IntrinsicGasFields,
): bigint => {
  const zeros = zeroBytes(data)
  const nonZeroGas = since(fork, 'istanbul') ? 16 : 68
  let gas = 21_000 + zeros * 4 + (data.length - zeros) * nonZeroGas
  if (to === undefined) {
    if (since(fork, 'homestead')) gas += 32_000
    if (since(fork, 'shanghai')) gas += Math.ceil(data.length / 32) * 2
  }
  for (const { storageKeys } of accessList) gas += 2_400 + storageKeys.length * 1_900
  return BigInt(gas) + BigInt(authorizationList.length) * authorizationGas
}

/** EIP-7623: what a transaction pays at least, for its data. Zero before Prague. */
export const floorGas = (fork: Fork, data: Uint8Array): bigint => {
  if (!since(fork, 'prague')) return 0n
  const zeros = zeroBytes(data)
  return BigInt(21_000 + (zeros + (data.length - zeros) * 4) * 10)
}

/** What is paid for in the end: refunds come off up to a share (EIP-3529), and the floor holds. */
export const chargedGas = (fork: Fork, gasUsed: bigint, refund: bigint, floor: bigint): bigint => {
  const cap = gasUsed / (since(fork, 'london') ? 5n : 2n)
  const charged = gasUsed - (refund < cap ? refund : cap)
  return charged < floor ? floor : charged
}
