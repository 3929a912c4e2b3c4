import type { BlockHeight } from './blockRef.ts'
import type { LogPattern } from './logReader.ts'

/** Which logs are wanted. */
export interface LogFilter extends LogPattern {
  readonly blocks:
    | { readonly kind: 'hash'; readonly hash: Uint8Array }
    | { readonly kind: 'range'; readonly from: BlockHeight; readonly to: BlockHeight }
}
