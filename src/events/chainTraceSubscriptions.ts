import { sleep } from '../base/async/sleep.ts'
import { toHex, toQuantity } from '../base/encoding/hex.ts'
import type { Logger } from '../base/logging/log.ts'
import { type ClientConnection, Notification } from '../base/notification.ts'
import { TimeSlice } from '../base/threads/timeSlice.ts'
import { ChainError, limitExceeded, refused } from '../chain/chainError.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { TraceOptions } from '../chain/port/traces.ts'
import { createSubscriptionId } from './ethSubscription.ts'

export interface ChainTraceRequest {
  /** The block before the first that is traced. */
  readonly from: number
  /** The last block that is traced. */
  readonly to: number
  readonly options: TraceOptions
}

const head = Buffer.from('{"jsonrpc":"2.0","method":"debug_subscription","params":{"subscription":"')
/** The largest notification in bytes. It is held in memory as a whole. */
const maxNotificationBytes = 100_000_000
/** How soon a notification looks again whether there is memory for it, and how often. */
const memoryPauseMs = 50
const memoryLooks = 600

/** The memory of all requests and responses. */
export interface NotificationMemory {
  /** Returns false if there is too little left. */
  take(bytes: number): boolean
  give(bytes: number): void
}

interface Dependencies {
  readonly chain: Chain
  readonly memory: NotificationMemory
  readonly log: Logger
}

/** Subscriptions to the traces of many blocks: one notification for each, no faster than the client reads them. */
export class ChainTraceSubscriptions {
  readonly #chain: Chain
  readonly #memory: NotificationMemory
  readonly #log: Logger
  /** The running traces by connection, then by id. */
  readonly #running = new Map<ClientConnection, Map<string, AbortController>>()

  constructor({ chain, memory, log }: Dependencies) {
    this.#chain = chain
    this.#memory = memory
    this.#log = log
  }

  /** Creates a subscription. Nothing is traced before `activate`, which is called after the id has been sent. */
  subscribe(
    connection: ClientConnection,
    request: ChainTraceRequest,
  ): { readonly id: string; activate(): void } {
    const connectionTraces = this.#running.get(connection) ?? new Map<string, AbortController>()
    if (connectionTraces.size > 0)
      throw limitExceeded('one connection has one trace of a chain at a time: end the other first')
    if (!this.#running.has(connection)) connection.onceClosed(() => this.#abortAll(connection))
    this.#running.set(connection, connectionTraces)
    const id = createSubscriptionId()
    const controller = new AbortController()
    connectionTraces.set(id, controller)
    const activate = (): void => {
      this.#run(connection, id, request, controller.signal)
        .catch((error: unknown) => this.#log.warn({ err: error }, 'chain trace ended early'))
        .finally(() => connectionTraces.delete(id))
    }
    return { id, activate }
  }

  /** Ends a subscription; returns false if the connection has no such one. */
  unsubscribe(connection: ClientConnection, id: string): boolean {
    const traces = this.#running.get(connection)
    traces?.get(id)?.abort()
    return traces?.delete(id) ?? false
  }

  #abortAll(connection: ClientConnection): void {
    for (const controller of this.#running.get(connection)?.values() ?? []) controller.abort()
    this.#running.delete(connection)
  }

  async #run(
    connection: ClientConnection,
    id: string,
    { from, to, options }: ChainTraceRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const name = Buffer.from(id)
    const push = (number: number, traces: readonly Uint8Array[]): void => {
      const tail = Buffer.concat([Buffer.from(this.#startOf(number)), ...traces, Buffer.from('}}}')])
      connection.push(new Notification([{ head, tail }], name.length), name)
    }
    const slice = new TimeSlice()
    for (let number = from + 1; number <= to && !signal.aborted; number++) {
      if (slice.isOver) await slice.next()
      // As in geth, a block without transactions is only reported if it is the last, so that the client sees the end.
      if (this.#chain.blocks.transactionCount(number) === 0 && number < to) continue
      try {
        await this.#trace(number, options, connection, signal, (traces) => push(number, traces))
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        if (connection.isFull) await waitForDrain(connection, signal)
        if (!signal.aborted) push(number, [Buffer.from(JSON.stringify([{ error: error.message }]))])
      }
    }
  }

  #startOf(number: number): string {
    const hash = this.#chain.blocks.hash(number) ?? new Uint8Array(32)
    return `","result":{"block":"${toQuantity(number)}","hash":"${toHex(hash)}","traces":`
  }

  /** Calls `push` with the list of traces as JSON when the client has read the ones before, and there is memory for it. */
  async #trace(
    number: number,
    options: TraceOptions,
    connection: ClientConnection,
    signal: AbortSignal,
    push: (traces: readonly Uint8Array[]) => void,
  ): Promise<void> {
    const text = await this.#chain.traces.block({ kind: 'number', number: BigInt(number) }, options, signal)
    // The pieces, and the notification that is made of them.
    const bytes = 2 * text.size
    try {
      if (text.size > maxNotificationBytes)
        throw refused(`the traces of the block are larger than ${maxNotificationBytes} bytes`)
      if (connection.isFull) await waitForDrain(connection, signal)
      await this.#takeMemory(bytes, signal)
      try {
        const pieces: Uint8Array[] = []
        for await (const piece of text.read()) pieces.push(piece)
        // From here on it counts as unread.
        if (!signal.aborted) push(pieces)
      } finally {
        this.#memory.give(bytes)
      }
    } finally {
      text.dispose()
    }
  }

  /** Waits until there is memory; throws if there is none for long, or the subscription ends before. */
  async #takeMemory(bytes: number, signal: AbortSignal): Promise<void> {
    for (let look = 0; look < memoryLooks && !signal.aborted; look++) {
      if (this.#memory.take(bytes)) return
      await sleep(memoryPauseMs, signal)
    }
    throw limitExceeded('too much is under way for the traces of the block (json-rpc.request-memory)')
  }
}

const waitForDrain = (connection: ClientConnection, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    connection.onceDrained(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
