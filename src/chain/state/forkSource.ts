import type { Account } from './evmState.ts'

/** What is read of the remote chain that a chain is forked from, each at the fork block. */
export type ForkKey =
  | { readonly kind: 'account'; readonly address: Uint8Array }
  | { readonly kind: 'slot'; readonly address: Uint8Array; readonly slot: Uint8Array }
  /** The hash of a block below the fork block. */
  | { readonly kind: 'hash'; readonly number: number }

/**
 * The state of the remote chain at the fork block, below everything that the local chain has changed. Reads are
 * synchronous: a thread that may wait does so until the value is there, any other gets a `MissingForkValueError`.
 */
export interface ForkSource {
  /** The number of the fork block. */
  readonly number: number
  account(address: Uint8Array): Account | undefined
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Returns the code of an account that was read before. */
  code(codeHash: Uint8Array): Uint8Array | undefined
  /** Returns the hash of a block below the fork block; undefined for any other number. */
  blockHash(number: number): Uint8Array | undefined
  /** Makes values that are likely to be read known, all of them at once. */
  load(keys: readonly ForkKey[]): void
}

/** Thrown on a thread that must not wait: the values must be fetched first, and the work done again. */
export class MissingForkValueError extends Error {
  override readonly name = 'MissingForkValueError'
  /** Fetches the values from the remote that they are missing of, which need not be the one of the chain any more. */
  readonly fetch: () => Promise<void>

  constructor(fetch: () => Promise<void>) {
    super('a value of the remote chain is not known yet')
    this.fetch = fetch
  }
}
