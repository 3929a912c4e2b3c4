import type { TransactionRequest } from '../transaction/request.ts'
import type { AccountOverride, BlockOverride } from './overrides.ts'

/** One block that is to be made, with what is different before it. */
export interface BlockStateCalls {
  readonly blockOverrides?: BlockOverride | undefined
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly calls: readonly TransactionRequest[]
}

/** Blocks that would follow each other (execution-apis, `eth_simulateV1`). */
export interface Simulation {
  readonly blocks: readonly BlockStateCalls[]
  /** Transfers of the native coin are logged as if it were a token. */
  readonly traceTransfers: boolean
  /** Nonces and fees count as in a block of the chain; otherwise as in `eth_call`. */
  readonly validation: boolean
  /** Whole transactions in the blocks, not their hashes. */
  readonly returnFullTransactions: boolean
}

/** What makes a simulation as a whole impossible; each has a code of its own on the wire. */
export type SimulationErrorKind =
  | 'nonce too low'
  | 'nonce too high'
  | 'fee cap too low'
  | 'intrinsic gas too low'
  | 'insufficient funds'
  | 'block gas limit'
  | 'block number'
  | 'block timestamp'
  | 'init code size'
  | 'too many blocks'
  | 'answer too large'
  | 'invalid transaction'
  | 'other'

/** The blocks as JSON, or why there are none. */
export type SimulationOutcome =
  | { readonly json: Uint8Array; readonly failure: undefined }
  | {
      readonly json: undefined
      readonly failure: { readonly kind: SimulationErrorKind; readonly message: string }
    }
