import type { BlockHeight } from './blockRef.ts'

/** Which logs are wanted. */
export interface LogFilter {
  readonly blocks:
    | { readonly kind: 'hash'; readonly hash: Uint8Array }
    | { readonly kind: 'range'; readonly from: BlockHeight; readonly to: BlockHeight }
  /** None: from anywhere. */
  readonly addresses: readonly Uint8Array[]
  /** For each position the topics that match; none: any. */
  readonly topics: readonly (readonly Uint8Array[])[]
}
