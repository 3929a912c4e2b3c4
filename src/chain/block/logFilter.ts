import type { BlockHeight } from '../port/blockRef.ts'
import type { LogPattern } from '../port/logs.ts'

/** Which logs are wanted. */
export interface LogFilter extends LogPattern {
  readonly blocks:
    | { readonly kind: 'hash'; readonly hash: Uint8Array }
    | { readonly kind: 'range'; readonly from: BlockHeight; readonly to: BlockHeight }
}
