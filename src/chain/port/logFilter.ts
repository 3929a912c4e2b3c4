import type { BlockNumberOrTag } from './blockRef.ts'
import type { LogPattern } from './logs.ts'

/** The logs that a client asks for. */
export interface LogFilter extends LogPattern {
  readonly blocks:
    | { readonly kind: 'hash'; readonly hash: Uint8Array }
    | { readonly kind: 'range'; readonly from: BlockNumberOrTag; readonly to: BlockNumberOrTag }
}
