import type { Logger } from '../../base/log.ts'
import type { EngineRpcClient } from './rpcClient.ts'

export interface BroadcasterDependencies {
  readonly rpc: Pick<EngineRpcClient, 'broadcast'>
  /** The transaction as the engine carries it; undefined: it is not wanted any more. */
  readonly encode: (id: string) => Uint8Array | undefined
  readonly log: Logger
}

const batchSize = 200
/** After a failure: the engine is starting, or its mempool is full. */
const retryMs = 500

/**
 * Brings transactions of our pool to the engine, which carries them to the others, in the order in which they became
 * executable. What the engine has is not sent again; what it could not take is tried until it does or nobody wants it.
 */
export class Broadcaster {
  readonly #dependencies: BroadcasterDependencies
  /** Ids that wait, in order. */
  readonly #waiting = new Set<string>()
  /** Ids that the engine holds. */
  readonly #inMempool = new Set<string>()
  #isRunning = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(dependencies: BroadcasterDependencies) {
    this.#dependencies = dependencies
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** It can be executed: the engine should have it. */
  add(id: string): void {
    if (this.#isClosed || this.#inMempool.has(id)) return
    this.#waiting.add(id)
    if (!this.#isRunning && this.#timer === undefined) void this.#run()
  }

  /** The engine asks about it, so it has it. */
  markInMempool(id: string): void {
    this.#inMempool.add(id)
    this.#waiting.delete(id)
  }

  /** It is in a block, or given up. */
  forget(id: string): void {
    this.#inMempool.delete(id)
    this.#waiting.delete(id)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    // What arrives in one turn of the loop travels together.
    await new Promise((resolve) => setImmediate(resolve))
    try {
      while (this.#waiting.size > 0 && !this.#isClosed) await this.#sendBatch()
    } catch (error) {
      this.#dependencies.log.debug({ err: error }, 'the engine takes no transactions; trying again')
      if (!this.#isClosed) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined
          void this.#run()
        }, retryMs)
      }
    } finally {
      this.#isRunning = false
    }
  }

  async #sendBatch(): Promise<void> {
    const { rpc, encode } = this.#dependencies
    const ids: string[] = []
    const natives: Uint8Array[] = []
    for (const id of this.#waiting) {
      const native = encode(id)
      if (native === undefined) this.#waiting.delete(id)
      else {
        ids.push(id)
        natives.push(native)
      }
      if (ids.length === batchSize) break
    }
    if (ids.length === 0) return
    const results = await rpc.broadcast(natives)
    let rejection: Error | undefined
    for (const [index, id] of ids.entries()) {
      const result = results[index]
      if (result instanceof Error && !isKnown(result)) rejection ??= result
      // Taken, known already, or refused by the very check that put it here: in each case it is not sent again.
      else this.markInMempool(id)
    }
    if (rejection !== undefined) throw rejection
  }
}

const isKnown = ({ message }: Error): boolean => message.includes('tx already exists in cache')
