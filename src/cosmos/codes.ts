/**
 * The codes of native results. Transactions with codes 0 (succeeded) and 1 (failed) are in the Ethereum block; all
 * others are not. Codes from 2 to 99 have the meaning of the Cosmos SDK's `sdk` codespace, so that Cosmos tools read them
 * correctly; those from 100 on are ours.
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
  /** The block had no room left. The transaction paid nothing and may be in a later block. */
  noRoom: 100,
} as const

export type NativeCode = (typeof codes)[keyof typeof codes]

/** Returns the codespace of a code: `evm` for 1, `sdk` for codes of the Cosmos SDK, `perihelion` for ours. */
export const toCodespace = (code: NativeCode): string => {
  if (code === codes.success) return ''
  if (code === codes.noRoom) return 'perihelion'
  return code === codes.failed ? 'evm' : 'sdk'
}

/** The reason why a native transaction is not included in a block. */
export interface NativeRejection {
  readonly code: Exclude<NativeCode, 0 | 1>
  readonly message: string
}
