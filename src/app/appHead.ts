import type { Header } from '../chain/block/header.ts'
import type { BlockOutcome } from './executeBlock.ts'

/** The newest block of the chain. */
export interface AppHead {
  readonly header: Header
  readonly hash: Uint8Array
}

/** A block that is executed and not yet committed. */
export interface ExecutedHead extends AppHead {
  readonly outcome: BlockOutcome
}
