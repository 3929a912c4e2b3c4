import { toQuantity } from '../../../src/base/encoding/hex.ts'
import type { Fetch } from '../../../src/provider/index.ts'

interface Asked {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface Told {
  readonly result?: unknown
  readonly error?: unknown
}

/** What becomes of an answer; undefined leaves it as it is. */
export type Change = (body: string, told: Told) => Told | undefined

/** The answers of a node, each asked once. They come as fast as memory, and the newest block stays the newest. */
export class Recording {
  readonly #node: string
  readonly #newest: string
  readonly #replies = new Map<string, Promise<Told>>()
  readonly #byMethod = new Map<string, unknown[]>()

  /** `newest` is the height that the newest signed block has from now on. */
  constructor(node: string, newest: number) {
    this.#node = node
    this.#newest = toQuantity(newest)
  }

  /** The results of a method so far. */
  resultsOf(method: string): readonly unknown[] {
    return this.#byMethod.get(method) ?? []
  }

  static asked(body: string): Asked {
    return JSON.parse(body) as Asked
  }

  reply(body: string): Promise<Told> {
    const known = this.#replies.get(body)
    if (known !== undefined) return known
    const asked = this.#ask(body)
    this.#replies.set(body, asked)
    return asked
  }

  async #ask(body: string): Promise<Told> {
    const headers = { 'content-type': 'application/json' }
    const { method, params } = Recording.asked(body)
    // The network goes on meanwhile.
    if (
      method === 'perihelion_lightBlock' &&
      Number((params[0] as readonly string[])[0]) > Number(this.#newest)
    )
      return { error: { code: -32000, message: 'header not found' } }
    const asked = body.replace('"latest"', `"${this.#newest}"`)
    const told = (await (await fetch(this.#node, { method: 'POST', headers, body: asked })).json()) as Told
    const results = this.#byMethod.get(method) ?? []
    this.#byMethod.set(method, results)
    if (told.result !== undefined && results.length < 2_000) results.push(told.result)
    return told
  }

  /** Requests of a client that answers come to from here. Those to `liar` are changed. */
  fetch(liar: string, change: Change): Fetch {
    return async (url, init) => {
      const body = String(init.body)
      const told = await this.reply(body)
      const changed = url.startsWith(liar) ? change(body, told) : undefined
      return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, ...(changed ?? told) }))
    }
  }
}
