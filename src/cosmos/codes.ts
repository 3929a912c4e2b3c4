/**
 * Codes of native results. 0 and 1 are in the Ethereum block (succeeded, failed); the others are not in it, and mean what
 * the Cosmos SDK means by them in its own code space, so that tools of that world read them right.
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

/** Codes of 2 and above are the SDK's; 1 is ours alone. */
export const toCodespace = (code: NativeCode): string => {
  if (code === codes.success) return ''
  return code === codes.failed ? 'evm' : 'sdk'
}

/** Why a native transaction has no place in a block. */
export interface NativeRejection {
  readonly code: Exclude<NativeCode, 0 | 1>
  readonly message: string
}
