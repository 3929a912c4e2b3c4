import { LRUCache } from 'lru-cache'
import { toHex } from '../../base/encoding/hex.ts'
import { NativeQueryError } from '../client/nativeQueryClient.ts'
import { findOperator } from '../client/operators.ts'
import type { UpstreamClient } from '../client/upstreamClient.ts'
import type { ConversionContext } from '../convert/conversionContext.ts'
import type { ChainInfo } from '../families/chainInfo.ts'
import { familyOf } from '../families/families.ts'
import type { NativeHeader } from '../parse/native.ts'

const zeroAddress = new Uint8Array(20)
const cacheSize = 10_000

/** Queries what the conversion of a block needs beside the block, and caches each value. */
export class ConversionContextReader {
  readonly #upstreams: UpstreamClient
  readonly #chainInfo: ChainInfo
  readonly #miners = new LRUCache<string, Promise<Uint8Array>>({ max: cacheSize })
  readonly #maxGas = new LRUCache<string, Promise<bigint>>({ max: cacheSize })

  constructor(upstreams: UpstreamClient, chainInfo: ChainInfo) {
    this.#upstreams = upstreams
    this.#chainInfo = chainInfo
  }

  async read(header: NativeHeader, signal: AbortSignal): Promise<ConversionContext> {
    if (!familyOf(this.#chainInfo).blocks.needsContext) return { miner: zeroAddress, maxGas: -1n }
    const { proposerAddress, consensusHash, height } = header
    const miner = this.#once(this.#miners, proposerAddress, () =>
      findOperator(this.#upstreams, this.#chainInfo, proposerAddress, height, signal),
    )
    const maxGas = this.#once(this.#maxGas, consensusHash, () => this.#fetchMaxGas(height, signal))
    return { miner: await miner, maxGas: await maxGas }
  }

  #once<Value>(
    cache: LRUCache<string, Promise<Value> & object>,
    key: Uint8Array,
    fetch: () => Promise<Value>,
  ): Promise<Value> {
    const name = toHex(key)
    const cached = cache.get(name)
    if (cached) return cached
    const value = fetch()
    cache.set(name, value)
    // A failure is not cached, so that the next caller queries again.
    value.catch(() => cache.delete(name))
    return value
  }

  /** Queries the gas limit. A chain that does not report it has no limit (conversion rules, 3.3). */
  async #fetchMaxGas(height: number, signal: AbortSignal): Promise<bigint> {
    try {
      return await this.#upstreams.consensusParams(height, signal)
    } catch (error) {
      if (isDefinite(error)) return -1n
      throw error
    }
  }
}

/** Returns whether upstreams returned a definite error, and were not merely unavailable. */
const isDefinite = (error: unknown): boolean =>
  error instanceof NativeQueryError && error.kind !== 'unavailable'
