import { emptyBytes } from '../../base/encoding/bytes.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import { systemContracts } from '../../chain/config/systemContracts.ts'
import type { Execution } from '../types.ts'

/** The values that the first system calls of a block store. */
export interface BlockParent {
  readonly hash: Uint8Array
  /** The root of the parent beacon block; from Cancun on. */
  readonly beaconRoot: Uint8Array | undefined
}

/**
 * Makes the calls before a block's first transaction. A contract that does not exist, or fails, changes
 * nothing.
 */
export const applyPreBlockCalls = (execution: Execution, fork: Fork, parent: BlockParent): void => {
  if (since(fork, 'cancun') && parent.beaconRoot !== undefined) {
    execution.systemCall(systemContracts.beaconRoots.address, parent.beaconRoot)
  }
  if (since(fork, 'prague')) execution.systemCall(systemContracts.historyStorage.address, parent.hash)
}

/**
 * The error for a block whose request contracts are missing or fail, which makes it invalid (EIP-7002,
 * EIP-7251).
 */
export class SystemCallError extends Error {
  override readonly name = 'SystemCallError'
  /** Whether there is no contract; otherwise it failed. */
  readonly isMissing: boolean

  constructor(message: string, isMissing: boolean) {
    super(message)
    this.isMissing = isMissing
  }
}

const callRequestContract = (execution: Execution, contract: Uint8Array, eip: string): Uint8Array => {
  const result = execution.systemCall(contract, emptyBytes)
  if (result === undefined) throw new SystemCallError(`the contract of ${eip} is not there`, true)
  if (!result.success) throw new SystemCallError(`the contract of ${eip} failed: ${result.error}`, false)
  return result.output
}

/**
 * Makes the calls after a block's last transaction, and returns the requests that the contracts have queued.
 */
export const applyPostBlockCalls = (
  execution: Execution,
): { readonly withdrawals: Uint8Array; readonly consolidations: Uint8Array } => ({
  withdrawals: callRequestContract(execution, systemContracts.withdrawalRequests.address, 'EIP-7002'),
  consolidations: callRequestContract(execution, systemContracts.consolidationRequests.address, 'EIP-7251'),
})
