import type { OpenRpcDocument, OpenRpcMethod } from '../../../src/rpc/openrpc.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { SchemaValues } from '../../support/rpc/schemaValues.ts'
import { ArgumentGenerator, type KnownTexts } from './values.ts'

export interface FuzzCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A body for the wire. */
export interface FuzzBody {
  readonly bytes: Buffer
  /** The ids whose answers must come; undefined if the bytes were mutated, so that nobody knows. */
  readonly ids: readonly number[] | undefined
  readonly isBatch: boolean
}

/** Methods that are left out, each for its reason. */
const leftOut: Readonly<Record<string, string>> = {
  admin_startHTTP: 'opens the transports that the run uses',
  admin_startRPC: 'likewise',
  admin_startWS: 'likewise',
  admin_stopHTTP: 'closes the transports that the run uses',
  admin_stopRPC: 'likewise',
  admin_stopWS: 'likewise',
  debug_startCPUProfile: 'records until it is stopped, which would look like a leak',
  debug_startGoTrace: 'likewise',
  debug_setGCPercent: 'changes the collector whose work is measured',
}

/** Methods that take long or write files, and those that only say what replaced them. */
const slow =
  /^(?:debug_(?:free|stacks|write|cpu|block|mutex|goTrace|dump|set|memStats)|personal_|miner_set|rpc\.)/
const retired = /^(?:les|shh|db)_|^eth_compile/

const weightOf = (name: string): number => (slow.test(name) ? 0.02 : retired.test(name) ? 0.1 : 1)

/** Makes calls of all methods of a document from a seed. */
export class RequestGenerator {
  readonly #methods: readonly OpenRpcMethod[]
  readonly #arguments: ArgumentGenerator
  readonly #random: Random
  #lastId = 0

  constructor(document: OpenRpcDocument, options: { readonly seed: number; readonly known: KnownTexts }) {
    this.#random = createRandom(options.seed)
    this.#methods = document.methods.filter(({ name }) => !Object.hasOwn(leftOut, name))
    this.#arguments = new ArgumentGenerator(new SchemaValues(document), options.known, this.#random)
  }

  nextCall(): FuzzCall {
    const random = this.#random
    let method = random.pick(this.#methods)
    while (!random.chance(weightOf(method.name))) method = random.pick(this.#methods)
    const params = method.params.map(({ name, schema }) =>
      // A profile takes as long as it is told.
      name === 'seconds' && random.chance(0.9) ? 0 : this.#arguments.next(schema),
    )
    if (random.chance(0.1)) params.length = random.below(params.length + 1)
    if (random.chance(0.03)) params.push(this.#arguments.any(2))
    return { method: method.name, params }
  }

  nextBody(): FuzzBody {
    const random = this.#random
    const roll = random.fraction()
    if (roll < 0.1) {
      const { body } = this.#request()
      return { bytes: this.#mutate(Buffer.from(body)), ids: undefined, isBatch: false }
    }
    if (roll < 0.2) {
      const requests = Array.from({ length: 1 + random.below(8) }, () => this.#request())
      const bytes = Buffer.from(`[${requests.map(({ body }) => body).join(',')}]`)
      return { bytes, ids: requests.map(({ id }) => id), isBatch: true }
    }
    const { body, id } = this.#request()
    return { bytes: Buffer.from(body), ids: [id], isBatch: false }
  }

  #request(): { readonly body: string; readonly id: number } {
    const id = ++this.#lastId
    const { method, params } = this.nextCall()
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    if (!this.#random.chance(0.01)) return { id, body }
    return {
      id,
      body: body.replace('"params":[', () => `"params":[${this.#oddText()}${params.length > 0 ? ',' : ''}`),
    }
  }

  /** Returns JSON that no value of this language gives: long numbers, depth without end. */
  #oddText(): string {
    const length = 2 ** (4 + this.#random.below(13))
    return this.#random.pick([
      '9'.repeat(length),
      `-${'9'.repeat(length)}e-${'9'.repeat(length)}`,
      `1e${length}`,
      `${'['.repeat(length)}${']'.repeat(length)}`,
      `${'{"a":'.repeat(length)}0${'}'.repeat(length)}`,
      `"${'\\u0000'.repeat(length)}"`,
      `"${'\\\\'.repeat(length)}"`,
    ])
  }

  #mutate(bytes: Buffer): Buffer {
    const random = this.#random
    let mutated = bytes
    for (let left = 1 + random.below(4); left > 0; left--) {
      const at = random.below(mutated.length + 1)
      const noise = Buffer.from(
        random.pick([random.bytes(1 + random.below(4)), Buffer.from(random.pick(structural))]),
      )
      switch (random.below(4)) {
        case 0:
          mutated = Buffer.concat([mutated.subarray(0, at), noise, mutated.subarray(at)])
          break
        case 1:
          mutated = Buffer.concat([mutated.subarray(0, at), noise, mutated.subarray(at + noise.length)])
          break
        case 2:
          mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at + 1 + random.below(20))])
          break
        default: {
          const from = random.below(mutated.length + 1)
          const piece = mutated.subarray(from, from + 1 + random.below(40))
          mutated = Buffer.concat([mutated.subarray(0, at), piece, mutated.subarray(at)])
        }
      }
    }
    return mutated
  }
}

/** Bytes that change what JSON means. */
const structural = ['"', '\\', '{', '}', '[', ']', ',', ':', '0x', '-', 'e', 'null', '\\u0000', '\u00ff']
