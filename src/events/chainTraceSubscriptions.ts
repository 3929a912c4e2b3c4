import { toHex, toQuantity } from '../base/encoding/hex.ts'
import type { Logger } from '../base/log.ts'
import { type ClientConnection, Notification } from '../base/notification.ts'
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

/** Subscriptions to the traces of many blocks: one notification for each, no faster than the client reads them. */
export class ChainTraceSubscriptions {
  readonly #chain: Chain
  readonly #log: Logger
  /** The running traces by connection, then by id. */
  readonly #running = new Map<ClientConnection, Map<string, AbortController>>()

  constructor(dependencies: { readonly chain: Chain; readonly log: Logger }) {
    this.#chain = dependencies.chain
    this.#log = dependencies.log
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
    for (let number = from + 1; number <= to && !signal.aborted; number++) {
      // As in geth, a block without transactions is only reported if it is the last, so that the client sees the end.
      if (this.#chain.blocks.transactionCount(number) === 0 && number < to) continue
      const tail = await this.#trace(number, options, signal)
      if (connection.isFull) await waitForDrain(connection, signal)
      if (signal.aborted) return
      connection.push(new Notification([{ head, tail }], name.length), name)
    }
  }

  async #trace(number: number, options: TraceOptions, signal: AbortSignal): Promise<Buffer> {
    const hash = this.#chain.blocks.hash(number)
    const start = `","result":{"block":"${toQuantity(number)}","hash":"${toHex(hash ?? new Uint8Array(32))}","traces":`
    const traces = await this.#traces(number, options, signal)
    return Buffer.concat([Buffer.from(start), ...traces, Buffer.from('}}}')])
  }

  /** Returns the list of traces as JSON; if tracing fails, a list with the error as its only entry. */
  async #traces(number: number, options: TraceOptions, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const at = { kind: 'number', number: BigInt(number) } as const
    try {
      const text = await this.#chain.traces.block(at, options, signal)
      try {
        if (text.size > maxNotificationBytes)
          throw refused(`the traces of the block are larger than ${maxNotificationBytes} bytes`)
        const pieces: Uint8Array[] = []
        for await (const piece of text.read()) pieces.push(piece)
        return pieces
      } finally {
        text.dispose()
      }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return [Buffer.from(JSON.stringify([{ error: error.message }]))]
    }
  }
}

const waitForDrain = (connection: ClientConnection, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    connection.onceDrained(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
