import { LRUCache } from 'lru-cache'
import { toHex } from '../../base/hex.ts'
import { NativeQueryError } from '../client/nativeQueries.ts'
import { operatorOf } from '../client/operators.ts'
import type { Upstreams } from '../client/upstreams.ts'
import type { ConversionContext } from '../convert/conversionContext.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import { familyOf } from '../families/families.ts'
import type { NativeHeader } from '../parse/native.ts'

const zeroAddress = new Uint8Array(20)
const kept = 10_000

/** What the conversion of a block needs beside the block itself, each asked for once and kept. */
export class SurroundingsReader {
  readonly #upstreams: Upstreams
  readonly #facts: ChainFacts
  readonly #miners = new LRUCache<string, Promise<Uint8Array>>({ max: kept })
  readonly #maxGas = new LRUCache<string, Promise<bigint>>({ max: kept })

  constructor(upstreams: Upstreams, facts: ChainFacts) {
    this.#upstreams = upstreams
    this.#facts = facts
  }

  async of(header: NativeHeader, signal: AbortSignal): Promise<ConversionContext> {
    if (!familyOf(this.#facts).blocks.needsContext) return { miner: zeroAddress, maxGas: -1n }
    const { proposerAddress, consensusHash, height } = header
    const miner = this.#once(this.#miners, proposerAddress, () =>
      operatorOf(this.#upstreams, this.#facts, proposerAddress, height, signal),
    )
    const maxGas = this.#once(this.#maxGas, consensusHash, () => this.#askMaxGas(height, signal))
    return { miner: await miner, maxGas: await maxGas }
  }

  #once<Value>(
    cache: LRUCache<string, Promise<Value> & object>,
    key: Uint8Array,
    ask: () => Promise<Value>,
  ): Promise<Value> {
    const name = toHex(key)
    const known = cache.get(name)
    if (known) return known
    const asked = ask()
    cache.set(name, asked)
    // A failure is for the one who asked: the next one asks again.
    asked.catch(() => cache.delete(name))
    return asked
  }

  /** A chain that does not tell has no limit (conversion rules, 3.3). */
  async #askMaxGas(height: number, signal: AbortSignal): Promise<bigint> {
    try {
      return await this.#upstreams.consensusParams(height, signal)
    } catch (error) {
      if (isAnswer(error)) return -1n
      throw error
    }
  }
}

/** Whether nodes have said no, and not merely nothing. */
const isAnswer = (error: unknown): boolean =>
  error instanceof NativeQueryError && error.fault !== 'unavailable'
