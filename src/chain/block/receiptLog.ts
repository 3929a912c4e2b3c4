/** A log of LOG0 to LOG4. */
export interface Log {
  readonly address: Uint8Array
  /** Up to four, 32 bytes each. */
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}
