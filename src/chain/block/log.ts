/** What LOG0 to LOG4 leave behind. */
export interface Log {
  readonly address: Uint8Array
  /** Up to four, 32 bytes each. */
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}
