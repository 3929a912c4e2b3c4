import { callUntil } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'

export interface Step {
  readonly step: number
  readonly pc: number
  readonly op: string
  readonly depth: number
  readonly gas: number
  readonly gasCost: number
  readonly address: Hex
  /** The account whose code runs; null while a contract is created. */
  readonly code: Hex | null
  readonly error?: string
  readonly stack: readonly Hex[]
  readonly memorySize: number
  readonly memory: Hex
}

export interface Mark {
  readonly kind: 'enter' | 'leave' | 'store' | 'fail'
  readonly step: number
  readonly depth: number
  /** What is written where, for a write of storage. */
  readonly address?: Hex
  readonly slot?: Hex
  readonly value?: Hex
}

export interface Steps {
  readonly steps: readonly Step[]
  readonly total: number
  readonly failed: boolean
  readonly marks: readonly Mark[]
  /** The kinds that have more places than `marks` has. */
  readonly marksCut?: readonly Mark['kind'][]
}

/** Steps of one piece. */
export const pieceSize = 128

export const pieceOf = (step: number): number => Math.floor(step / pieceSize)

/** Asks for steps from one on. */
type AskSteps = (hash: string, from: number, count: number, signal: AbortSignal) => Promise<Steps>

const askNode: AskSteps = (hash, from, count, signal) =>
  callUntil(signal, 'perihelion_traceSteps', hash, from, count)

const maxKept = 40

/** Loads pieces of the steps of transactions, and keeps those that were read. */
export class PieceLoader {
  readonly #ask: AskSteps
  /** The oldest first. */
  readonly #pieces = new Map<string, Promise<Steps>>()
  #running: { readonly key: string; readonly abort: AbortController } | undefined

  constructor(ask: AskSteps = askNode) {
    this.#ask = ask
  }

  /** Loads a piece. A piece that still loads is given up: nobody looks at it any more, and each is a replay for the node. */
  load(hash: string, piece: number): Promise<Steps> {
    const key = `${hash} ${piece}`
    if (this.#running?.key !== key) this.cancel()
    const known = this.#pieces.get(key)
    if (known !== undefined) return known
    const abort = new AbortController()
    const running = { key, abort }
    const loading = this.#loadWhole(hash, piece, abort.signal).finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    this.#pieces.set(key, loading)
    loading.catch(() => this.#forget(key, loading))
    const [oldest] = this.#pieces.keys()
    if (this.#pieces.size > maxKept && oldest !== undefined) this.#pieces.delete(oldest)
    return loading
  }

  /** Gives up what still loads. */
  cancel(): void {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    // At once, so that whoever comes back to the piece does not get the one that was given up.
    this.#pieces.delete(running.key)
    running.abort.abort()
  }

  /** Forgets every piece. */
  clear(): void {
    this.cancel()
    this.#pieces.clear()
  }

  #forget(key: string, loading: Promise<Steps>): void {
    if (this.#pieces.get(key) === loading) this.#pieces.delete(key)
  }

  /** The node ends a piece of large steps early; the rest is requested. */
  async #loadWhole(hash: string, piece: number, signal: AbortSignal): Promise<Steps> {
    const from = piece * pieceSize
    let all = await this.#ask(hash, from, pieceSize, signal)
    const wanted = Math.min(pieceSize, all.total - from)
    while (all.steps.length < wanted) {
      const have = all.steps.length
      const { steps } = await this.#ask(hash, from + have, wanted - have, signal)
      if (steps.length === 0) break
      all = { ...all, steps: [...all.steps, ...steps] }
    }
    return all
  }
}
