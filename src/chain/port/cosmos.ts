import type { MaybePromise } from '../../base/async/maybePromise.ts'

/**
 * The native side of a chain on CometBFT. Heights are those of its Ethereum blocks; the hash of a native
 * transaction is the SHA-256 of its bytes. Methods return undefined if there is no such item, and throw a
 * `ChainError` if the engine does not respond.
 */
export interface CosmosView {
  /** The human-readable part of the chain's account addresses. */
  readonly bech32Prefix: string
  /** Returns the hash of the native transaction that carries an Ethereum transaction, included or pending. */
  nativeHash(transactionHash: Uint8Array, signal: AbortSignal): MaybePromise<Uint8Array | undefined>
  /**
   * Returns the hashes of the Ethereum transactions in an included native transaction; empty if it carries
   * none.
   */
  ethereumHashes(nativeHash: Uint8Array, signal: AbortSignal): MaybePromise<readonly Uint8Array[] | undefined>
  /** Returns CometBFT's reply to `block`. */
  block(number: number, signal: AbortSignal): MaybePromise<unknown>
  /** Returns CometBFT's reply to `block_results`. */
  blockResults(number: number, signal: AbortSignal): MaybePromise<unknown>
  /** Returns `signed_header` of CometBFT's reply to `commit`: a header with the votes for it. */
  signedHeader(number: number, signal: AbortSignal): MaybePromise<unknown>
  /** Returns all validators of CometBFT's replies to `validators`, in their order. */
  validators(number: number, signal: AbortSignal): MaybePromise<readonly unknown[] | undefined>
  /** Returns what CometBFT would reply to `tx`, whether or not it keeps a transaction index. */
  transaction(nativeHash: Uint8Array, signal: AbortSignal): MaybePromise<unknown>
}
