/** Values of the next block that a dev chain takes from a client. */
export interface BlockHeaderOverrides {
  readonly baseFee?: bigint | undefined
  readonly prevRandao?: Uint8Array | undefined
  /** Later blocks have it too, because each takes it from its parent. */
  readonly gasLimit?: bigint | undefined
}
