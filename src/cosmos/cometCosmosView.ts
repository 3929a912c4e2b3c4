import type { MaybePromise } from '../base/async/maybePromise.ts'
import { sha256 } from '../base/crypto/crypto.ts'
import { equalBytes } from '../base/encoding/bytes.ts'
import { unavailable } from '../chain/chainError.ts'
import type { CosmosView } from '../chain/port/cosmos.ts'
import type { TransactionLocation } from '../chain/port/location.ts'

interface CometViewDependencies {
  /** Returns the location of an Ethereum transaction. */
  readonly locate: (transactionHash: Uint8Array) => TransactionLocation | undefined
  /** Returns the native bytes of an Ethereum transaction that waits for a block. */
  readonly pooledNative: (transactionHash: Uint8Array) => Uint8Array | undefined
  /** Returns the location of a native transaction in its native block. */
  readonly locateNative: (
    nativeHash: Uint8Array,
    signal: AbortSignal,
  ) => MaybePromise<TransactionLocation | undefined>
  /** Returns the hashes of the Ethereum transactions in native bytes. */
  readonly decodeHashes: (bytes: Uint8Array) => readonly Uint8Array[]
  /** CometBFT's replies; undefined for a height that it never had. */
  readonly block: (height: number, signal: AbortSignal) => Promise<unknown>
  readonly blockResults: (height: number, signal: AbortSignal) => Promise<unknown>
  readonly signedHeader: (height: number, signal: AbortSignal) => Promise<unknown>
  readonly validators: (height: number, signal: AbortSignal) => Promise<readonly unknown[] | undefined>
}

type JsonObject = Readonly<Record<string, unknown>>

/** The native view of a chain on CometBFT. It reads blocks and results, so CometBFT needs no index of transactions. */
export class CometCosmosView implements CosmosView {
  readonly bech32Prefix: string
  readonly #dependencies: CometViewDependencies

  constructor(bech32Prefix: string, dependencies: CometViewDependencies) {
    this.bech32Prefix = bech32Prefix
    this.#dependencies = dependencies
  }

  async nativeHash(transactionHash: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { locate, pooledNative, decodeHashes } = this.#dependencies
    const location = locate(transactionHash)
    if (location === undefined) {
      const bytes = pooledNative(transactionHash)
      return bytes && sha256(bytes)
    }
    const carrier = (await this.#bytesAt(location.number, signal)).find((bytes) =>
      decodeHashes(bytes).some((hash) => equalBytes(hash, transactionHash)),
    )
    return carrier && sha256(carrier)
  }

  async ethereumHashes(
    nativeHash: Uint8Array,
    signal: AbortSignal,
  ): Promise<readonly Uint8Array[] | undefined> {
    const { locateNative, locate, decodeHashes } = this.#dependencies
    const found = await locateNative(nativeHash, signal)
    if (found === undefined) return undefined
    const bytes = (await this.#bytesAt(found.number, signal))[found.index]
    // A transaction that failed before its execution is in the native block, but in no Ethereum block.
    return bytes && decodeHashes(bytes).filter((hash) => locate(hash)?.number === found.number)
  }

  block(number: number, signal: AbortSignal): Promise<unknown> {
    return this.#dependencies.block(number, signal)
  }

  blockResults(number: number, signal: AbortSignal): Promise<unknown> {
    return this.#dependencies.blockResults(number, signal)
  }

  signedHeader(number: number, signal: AbortSignal): Promise<unknown> {
    return this.#dependencies.signedHeader(number, signal)
  }

  validators(number: number, signal: AbortSignal): Promise<readonly unknown[] | undefined> {
    return this.#dependencies.validators(number, signal)
  }

  async transaction(nativeHash: Uint8Array, signal: AbortSignal): Promise<unknown> {
    const { locateNative, blockResults } = this.#dependencies
    const found = await locateNative(nativeHash, signal)
    if (found === undefined) return undefined
    const { number, index } = found
    const [bytes, results] = await Promise.all([this.#bytesAt(number, signal), blockResults(number, signal)])
    const tx = bytes[index]
    const list = (results as JsonObject | undefined)?.txs_results
    if (tx === undefined || !Array.isArray(list) || list[index] === undefined) return undefined
    return {
      hash: Buffer.from(sha256(tx)).toString('hex').toUpperCase(),
      height: String(number),
      index,
      tx_result: list[index],
      tx: Buffer.from(tx).toString('base64'),
    }
  }

  async #bytesAt(height: number, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const reply = (await this.#dependencies.block(height, signal)) as JsonObject | undefined
    const data = (reply?.block as JsonObject | null | undefined)?.data as JsonObject | undefined
    const txs = data?.txs ?? []
    if (!Array.isArray(txs) || !txs.every((tx) => typeof tx === 'string'))
      throw unavailable(`the native block ${height} cannot be read`)
    return txs.map((tx) => Buffer.from(tx, 'base64'))
  }
}
