import type { Logger } from '../../base/log.ts'
import type { EngineRpcClient } from './rpcClient.ts'

export interface BroadcasterDependencies {
  readonly rpc: Pick<EngineRpcClient, 'broadcast'>
  /** Encodes a transaction for the engine; returns undefined if it is not needed any more. */
  readonly encode: (id: string) => Uint8Array | undefined
  readonly log: Logger
}

const batchSize = 200
/** The pause after a failure, which means that the engine is starting or its mempool is full. */
const retryMs = 500

/**
 * Sends transactions of the pool to the engine, which gossips them, in the order in which they became executable. A
 * transaction that the engine holds is not sent again; one that it could not accept is retried until it does or the
 * pool drops it.
 */
export class Broadcaster {
  readonly #dependencies: BroadcasterDependencies
  /** The ids that wait to be sent, in order. */
  readonly #waiting = new Set<string>()
  /** The ids of the transactions that the engine holds. */
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

  /** Adds an executable transaction to send. */
  add(id: string): void {
    if (this.#isClosed || this.#inMempool.has(id)) return
    this.#waiting.add(id)
    if (!this.#isRunning && this.#timer === undefined) void this.#run()
  }

  /** Marks a transaction that the engine checks, and therefore holds. */
  markInMempool(id: string): void {
    this.#inMempool.add(id)
    this.#waiting.delete(id)
  }

  /** Removes a transaction that was included or dropped. */
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
    // Transactions that arrive in one turn of the event loop are sent together.
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
      // It was accepted, was known, or was rejected by the check that put it here: in each case it is not sent again.
      else this.markInMempool(id)
    }
    if (rejection !== undefined) throw rejection
  }
}

const isKnown = ({ message }: Error): boolean => message.includes('tx already exists in cache')
