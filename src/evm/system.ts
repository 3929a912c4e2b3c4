import { fromHex } from '../base/hex.ts'
import { type Fork, since } from '../chain/forks.ts'
import type { Execution } from './types.ts'

/** Contracts that the block itself calls, at the same addresses on every chain. */
const contracts = {
  /** EIP-4788. */
  beaconRoots: fromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02'),
  /** EIP-2935. */
  history: fromHex('0x0000f90827f1c53a10cb7a02335b175320002935'),
  /** EIP-7002. */
  withdrawalRequests: fromHex('0x00000961ef480eb55e80d19ad83579a64c007002'),
  /** EIP-7251. */
  consolidationRequests: fromHex('0x0000bbddc7ce488642fb579f8b00f3a590007251'),
} as const

/** What the first calls of a block store. */
export interface BlockParent {
  readonly hash: Uint8Array
  /** From Cancun on. */
  readonly beaconRoot: Uint8Array | undefined
}

/** The calls before a block's first transaction. A contract that is not there, or fails, changes nothing. */
export const openBlock = (execution: Execution, fork: Fork, parent: BlockParent): void => {
  if (since(fork, 'cancun') && parent.beaconRoot !== undefined) {
    execution.systemCall(contracts.beaconRoots, parent.beaconRoot)
  }
  if (since(fork, 'prague')) execution.systemCall(contracts.history, parent.hash)
}

/** A block whose request contracts do not answer is invalid (EIP-7002, EIP-7251). */
export class SystemCallError extends Error {
  override readonly name = 'SystemCallError'
}

const ask = (execution: Execution, contract: Uint8Array, eip: string): Uint8Array => {
  const result = execution.systemCall(contract, new Uint8Array(0))
  if (result === undefined) throw new SystemCallError(`the contract of ${eip} is not there`)
  if (!result.success) throw new SystemCallError(`the contract of ${eip} failed: ${result.error}`)
  return result.output
}

/** The calls after a block's last transaction: what validators' contracts have queued. */
export const closeBlock = (
  execution: Execution,
): { readonly withdrawals: Uint8Array; readonly consolidations: Uint8Array } => ({
  withdrawals: ask(execution, contracts.withdrawalRequests, 'EIP-7002'),
  consolidations: ask(execution, contracts.consolidationRequests, 'EIP-7251'),
})
