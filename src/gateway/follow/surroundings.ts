import { create, toBinary } from '@bufbuild/protobuf'
import { bech32 } from '@scure/base'
import { LRUCache } from 'lru-cache'
import {
  QueryValidatorAccountRequestSchema,
  QueryValidatorAccountResponseSchema,
} from '../../app/native/gen/cosmos/evm/vm/v1/query_pb.ts'
import { decodeMessage } from '../../app/native/protobuf.ts'
import { toHex } from '../../base/hex.ts'
import { NativeQueryError } from '../client/nativeQueries.ts'
import type { Upstreams } from '../client/upstreams.ts'
import type { ChainFacts } from '../facts.ts'
import type { BlockSurroundings, NativeHeader } from '../native.ts'

const zeroAddress = new Uint8Array(20)
const kept = 10_000
const addressLength = 20

const addressOf = (text: string): Uint8Array | undefined => {
  try {
    const bytes = bech32.fromWords(bech32.decode(text as `${string}1${string}`).words)
    return bytes.length === addressLength ? bytes : undefined
  } catch {
    return undefined
  }
}

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

  async of(header: NativeHeader, signal: AbortSignal): Promise<BlockSurroundings> {
    // Our own chain says all of it in the header that it commits to.
    if (this.#facts.family === 'perihelion') return { miner: zeroAddress, maxGas: -1n }
    const { proposerAddress, consensusHash, height } = header
    const miner = this.#once(this.#miners, proposerAddress, () => this.#askMiner(header, signal))
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

  /** The operator behind a consensus key does not change, so that the newest state tells where the old is gone. */
  async #askMiner({ proposerAddress, height }: NativeHeader, signal: AbortSignal): Promise<Uint8Array> {
    try {
      return await this.#minerAt(proposerAddress, height, signal)
    } catch (error) {
      if (!isAnswer(error)) throw error
    }
    try {
      return await this.#minerAt(proposerAddress, undefined, signal)
    } catch (error) {
      if (isAnswer(error)) return zeroAddress
      throw error
    }
  }

  async #minerAt(proposer: Uint8Array, height: number | undefined, signal: AbortSignal): Promise<Uint8Array> {
    const { evmPackage, bech32Prefix } = this.#facts
    const consAddress = bech32.encode(`${bech32Prefix}valcons`, bech32.toWords(proposer))
    const request = create(QueryValidatorAccountRequestSchema, { consAddress })
    const answer = await this.#upstreams.query(
      `/${evmPackage}.Query/ValidatorAccount`,
      toBinary(QueryValidatorAccountRequestSchema, request),
      height,
      signal,
    )
    const account = decodeMessage(QueryValidatorAccountResponseSchema, answer)
    if (!account) throw new NativeQueryError('unavailable', 'the account of a validator cannot be read')
    return addressOf(account.accountAddress) ?? zeroAddress
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
