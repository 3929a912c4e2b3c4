import type { TransactionRequest } from '../transaction/request.ts'
import type { AccountOverride, BlockOverride } from './overrides.ts'

/** One block to simulate, with the overrides before it. */
export interface BlockStateCalls {
  readonly blockOverrides?: BlockOverride | undefined
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly calls: readonly TransactionRequest[]
}

/** The maximum number of blocks of one simulation, as in geth; execution-apis suggests it. */
export const maxSimulatedBlocks = 256

/** A sequence of simulated blocks (execution-apis, `eth_simulateV1`). */
export interface Simulation {
  readonly blocks: readonly BlockStateCalls[]
  /** Whether transfers of the native coin are logged as if it were a token. */
  readonly traceTransfers: boolean
  /** Whether nonces and fees are checked as in a block of the chain; otherwise as in `eth_call`. */
  readonly validation: boolean
  /** Whether the blocks have whole transactions instead of hashes. */
  readonly returnFullTransactions: boolean
}

/** Why a whole simulation fails; each kind has its code on the wire. */
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

/** The blocks as JSON, or the error of the simulation. */
export type SimulationOutcome =
  | { readonly json: Uint8Array; readonly failure: undefined }
  | {
      readonly json: undefined
      readonly failure: { readonly kind: SimulationErrorKind; readonly message: string }
    }

/** The error codes that execution-apis defines for `eth_simulateV1`, and those of JSON-RPC for the rest. */
export const simulationCodes: Readonly<Record<SimulationErrorKind, number>> = {
  'nonce too low': -38010,
  'nonce too high': -38011,
  'fee cap too low': -38012,
  'intrinsic gas too low': -38013,
  'insufficient funds': -38014,
  'block gas limit': -38015,
  'block number': -38020,
  'block timestamp': -38021,
  'init code size': -38025,
  'too many blocks': -38026,
  'answer too large': -32003,
  'invalid transaction': -32602,
  other: -32603,
}
