import type { AccountEdit } from '../state/accountEdit.ts'
import type { ResetTarget } from './fork.ts'
import type { BlockHeaderOverrides } from './headerOverrides.ts'

/** A snapshot that can be reverted to. */
export interface DevSnapshot {
  readonly id: number
  readonly number: number
  readonly hash: Uint8Array
}

/** A transaction of a block that is made again: as it was signed, or with its sender stated. */
export interface DevTransaction {
  readonly raw: Uint8Array
  readonly isImpersonated: boolean
}

/** When blocks are made. */
export type MiningMode =
  /** One for each transaction, at once. */
  | { readonly kind: 'auto' }
  | { readonly kind: 'interval'; readonly milliseconds: number }
  /** Only when `mine` is called. */
  | { readonly kind: 'manual' }

export interface ResetOptions {
  /** Whether it stays how blocks are made, who is impersonated, who gets tips, and their interval and gas limit. */
  readonly keepsSettings?: boolean
}

/** The latest time of a block in seconds since 1970, so that numbers stay exact. */
export const maxBlockTime = 2 ** 52

/**
 * The controls of a chain for development, as anvil and Hardhat have them. Each operation waits for the block that is being
 * made, and no block begins before it is done. Methods throw a `ChainError` for what cannot be.
 */
export interface DevControl {
  /** Whether the chain outlives the process, so that nothing may be done to it that its next start could not read. */
  readonly isKept: boolean
  /** Whether blocks and transactions are printed. */
  isLoggingEnabled: boolean

  /**
   * Makes blocks, each of them `interval` seconds after the one before if that is given; the first too, unless `spacing` is
   * between them alone. It ends early when the signal aborts; the blocks that are made stay.
   */
  mine(
    count: number,
    interval: number | undefined,
    signal: AbortSignal,
    spacing?: 'all' | 'between',
  ): Promise<void>

  miningMode(): MiningMode
  setMiningMode(mode: MiningMode): Promise<void>

  /** Moves the time of later blocks forward, and returns by how many seconds they are ahead of the clock. */
  increaseTime(seconds: number): Promise<number>
  /** Sets the time of now, in seconds, and returns how far ahead of the clock that is; 0 if it is behind. */
  setTime(time: number): Promise<number>
  /** Sets the time of the next block, which must not be before the head. */
  setNextBlockTime(time: number): Promise<void>
  /** Makes each block this many seconds later than its parent; undefined to follow the clock again. */
  setTimestampInterval(seconds: number | undefined): Promise<void>
  timestampInterval(): number | undefined
  /** The time at which the head was made, in milliseconds since 1970. */
  headMadeAt(): number

  /** Sets values of the next block; those that are undefined stay as they are. */
  setNextBlock(values: BlockHeaderOverrides): Promise<void>
  /** Returns the values that were set for the next block. */
  nextBlock(): BlockHeaderOverrides

  /** Changes accounts of the head from outside a block. */
  edit(edits: readonly AccountEdit[]): Promise<void>

  /** Returns the id of a snapshot of the head. */
  snapshot(): Promise<number>
  /** Reverts to a snapshot and removes it with all later ones; false if there is none with this id. */
  revert(id: number): Promise<boolean>
  snapshots(): readonly DevSnapshot[]

  /** Reverts the newest blocks. */
  rollback(depth: number): Promise<void>
  /** Reverts the newest blocks and makes as many others, with the given transactions each. */
  reorg(depth: number, blocks: readonly (readonly DevTransaction[])[]): Promise<void>
  /**
   * Returns to the first block or to another chain, and to the settings of the start unless they are kept. If it rejects,
   * also because the signal is aborted before it begins, everything is as it was.
   */
  reset(target: ResetTarget, signal: AbortSignal, options?: ResetOptions): Promise<void>
  /** Gives a chain that is not kept another chain id; the blocks that it has stay as they are. */
  setChainId(chainId: bigint): Promise<void>
  /** Makes what is set now that to which a reset returns. */
  keepAsStart(): void

  /** Removes a transaction from the pool; false if it is not there. */
  dropTransaction(hash: Uint8Array): Promise<boolean>
  dropAllTransactions(): Promise<void>
  dropTransactionsOf(sender: Uint8Array): Promise<void>

  isImpersonated(address: Uint8Array): boolean
  /** Returns the accounts that are impersonated one by one. */
  impersonated(): readonly Uint8Array[]
  impersonate(address: Uint8Array): Promise<void>
  stopImpersonating(address: Uint8Array): Promise<void>
  setAutoImpersonate(isOn: boolean): Promise<void>
}
