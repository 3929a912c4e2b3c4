/**
 * The codes of native results. Transactions with codes 0 (succeeded) and 1 (failed) are in the Ethereum block; all
 * others are not. Codes from 2 on have the meaning of the Cosmos SDK's `sdk` codespace, so that Cosmos tools read them
 * correctly.
 */
export const codes = {
  success: 0,
  failed: 1,
  malformed: 2,
  insufficientFunds: 5,
  outOfGas: 11,
  insufficientFee: 13,
  invalidRequest: 18,
  alreadyKnown: 19,
  poolFull: 20,
  tooLarge: 21,
  wrongSigner: 24,
  invalidChainId: 28,
  invalidType: 29,
  wrongSequence: 32,
  notSupported: 37,
  invalidGasLimit: 41,
} as const

export type NativeCode = (typeof codes)[keyof typeof codes]

/** Returns the codespace of a code: `sdk` from 2 on, because these are codes of the Cosmos SDK, and `evm` for 1. */
export const toCodespace = (code: NativeCode): string => {
  if (code === codes.success) return ''
  return code === codes.failed ? 'evm' : 'sdk'
}

/** The reason why a native transaction is not included in a block. */
export interface NativeRejection {
  readonly code: Exclude<NativeCode, 0 | 1>
  readonly message: string
}
