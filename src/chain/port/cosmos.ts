import type { MaybePromise } from '../../base/maybePromise.ts'

/**
 * A chain on CometBFT in its own words. Heights are those of its Ethereum blocks; hashes of native transactions are
 * CometBFT's, SHA-256 of their bytes. Undefined: there is none. What is behind it may not answer: a `ChainError`.
 */
export interface CosmosView {
  /** The human-readable part of its accounts' addresses. */
  readonly bech32Prefix: string
  /** Of the native transaction that carries an Ethereum one, in a block or waiting for one. */
  nativeHash(transactionHash: Uint8Array, signal: AbortSignal): MaybePromise<Uint8Array | undefined>
  /** Of the Ethereum transactions that a native one in a block carries: none for any other kind. */
  ethereumHashes(nativeHash: Uint8Array, signal: AbortSignal): MaybePromise<readonly Uint8Array[] | undefined>
  /** CometBFT's reply to `block`. */
  block(number: number, signal: AbortSignal): MaybePromise<unknown>
  /** CometBFT's reply to `block_results`. */
  blockResults(number: number, signal: AbortSignal): MaybePromise<unknown>
  /** What CometBFT's reply to `tx` would be, with an index of its own or without. */
  transaction(nativeHash: Uint8Array, signal: AbortSignal): MaybePromise<unknown>
}
