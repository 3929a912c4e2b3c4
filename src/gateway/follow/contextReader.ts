import { LRUCache } from 'lru-cache'
import { toHex } from '../../base/encoding/hex.ts'
import type { NativeHeader } from '../../comet/data/nativeBlock.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { isAboutQuestion, saysAbsent } from '../../comet/data/refusals.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { ConversionContext } from '../../families/convert/conversionContext.ts'
import { familyOf } from '../../families/families.ts'
import { findOperator } from '../../families/queries/operators.ts'
import type { UpstreamClient } from '../upstreams/upstreamClient.ts'

const zeroAddress = new Uint8Array(20)
const noMaxGas = -1n
const cacheSize = 10_000
/** How often a value is asked for that nodes reject before a block is taken without it. */
const maxRefusals = 5

/** Queries what the conversion of a block needs beside the block, and caches each value. */
export class ConversionContextReader {
  readonly #upstreams: UpstreamClient
  readonly #chainInfo: ChainInfo
  readonly #miners = new LRUCache<string, Promise<Uint8Array>>({ max: cacheSize })
  readonly #maxGas = new LRUCache<string, Promise<bigint>>({ max: cacheSize })
  /** How often each value was rejected since it was last told. */
  readonly #refusals = new LRUCache<string, number>({ max: cacheSize })

  constructor(upstreams: UpstreamClient, chainInfo: ChainInfo) {
    this.#upstreams = upstreams
    this.#chainInfo = chainInfo
  }

  async read(header: NativeHeader, signal: AbortSignal): Promise<ConversionContext> {
    if (!familyOf(this.#chainInfo).blocks.needsContext) return { miner: zeroAddress, maxGas: noMaxGas }
    const { proposerAddress, consensusHash, height } = header
    const fetchMiner = () => findOperator(this.#upstreams, this.#chainInfo, proposerAddress, height, signal)
    const miner = this.#once(this.#miners, proposerAddress, zeroAddress, fetchMiner)
    const fetchMaxGas = () => this.#fetchMaxGas(height, signal)
    const maxGas = this.#once(this.#maxGas, consensusHash, noMaxGas, fetchMaxGas)
    return { miner: await miner, maxGas: await maxGas }
  }

  #once<Value>(
    cache: LRUCache<string, Promise<Value> & object>,
    key: Uint8Array,
    fallback: Value,
    fetch: () => Promise<Value>,
  ): Promise<Value> {
    const name = toHex(key)
    const cached = cache.get(name)
    if (cached) return cached
    const value = fetch().then(
      (found) => {
        this.#refusals.delete(name)
        return found
      },
      (error: unknown) => {
        // A failure is not cached, so that the next caller queries again.
        cache.delete(name)
        if (this.#isRefusedForGood(name, error)) return fallback
        throw error
      },
    )
    cache.set(name, value)
    value.catch(() => undefined)
    return value
  }

  /**
   * Returns whether nodes stay at a rejection that says nothing about the chain, or fail at this request alone: the store
   * must not stall forever because of it. The next block asks again.
   */
  #isRefusedForGood(name: string, error: unknown): boolean {
    if (!(error instanceof NativeQueryError)) return false
    if (error.kind !== 'refused' && !isAboutQuestion(error.message)) return false
    const refusals = (this.#refusals.get(name) ?? 0) + 1
    this.#refusals.set(name, refusals)
    return refusals >= maxRefusals
  }

  /** Queries the gas limit. A chain that does not report it has no limit (conversion rules, 3.3). */
  async #fetchMaxGas(height: number, signal: AbortSignal): Promise<bigint> {
    try {
      return await this.#upstreams.consensusParams(height, signal)
    } catch (error) {
      if (isDefinite(error)) return noMaxGas
      throw error
    }
  }
}

/** Returns whether upstreams returned a definite error, and were not merely unavailable or refused to answer. */
const isDefinite = (error: unknown): boolean =>
  error instanceof NativeQueryError &&
  error.kind !== 'unavailable' &&
  (error.kind !== 'refused' || saysAbsent(error.message))
