import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { encodeRlp } from '../../src/base/encoding/rlp.ts'

/** What a transaction left behind, in a form that two implementations can be compared by. */
export interface Outcome {
  /** Refused transactions have no more than this. */
  readonly valid: boolean
  readonly success: boolean
  /** Why it failed, where the implementation tells it in our words. */
  readonly error?: string
  readonly gasUsed: string
  readonly output: string
  readonly logs: string
  readonly stateRoot: string
}

export const refused: Outcome = {
  valid: false,
  success: false,
  gasUsed: '',
  output: '',
  logs: '',
  stateRoot: '',
}

export const logsHash = (
  logs: readonly (readonly [address: Uint8Array, topics: readonly Uint8Array[], data: Uint8Array])[],
): string => toHex(keccak256(encodeRlp(logs)))

/** The fields in which two outcomes differ, of those that both have. */
export const differences = (a: Outcome, b: Outcome): (keyof Outcome)[] =>
  (Object.keys(a) as (keyof Outcome)[]).filter((field) => field in b && a[field] !== b[field])
