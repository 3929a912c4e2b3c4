import { toHex, toQuantity } from '../base/hex.ts'
import type { Logger } from '../base/log.ts'
import { Notice, type Outlet } from '../base/notice.ts'
import { ChainError, limitExceeded, refused } from '../chain/chainError.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { TraceOptions } from '../chain/port/traces.ts'
import { createId } from './notification.ts'

export interface ChainTraceWish {
  /** The block before the first that is traced. */
  readonly from: number
  /** The last one. */
  readonly to: number
  readonly options: TraceOptions
}

const head = Buffer.from('{"jsonrpc":"2.0","method":"debug_subscription","params":{"subscription":"')
/** The largest notification: it is held in memory as a whole. */
const maxNotice = 100_000_000

/** Traces of many blocks, one notification for each, no faster than the client reads them. */
export class ChainTraces {
  readonly #chain: Chain
  readonly #log: Logger
  /** By connection, then by id. */
  readonly #running = new Map<Outlet, Map<string, AbortController>>()

  constructor(dependencies: { readonly chain: Chain; readonly log: Logger }) {
    this.#chain = dependencies.chain
    this.#log = dependencies.log
  }

  /** Nothing is traced before `activate`, which is called when the id is on its way. */
  subscribe(outlet: Outlet, wish: ChainTraceWish): { readonly id: string; activate(): void } {
    const own = this.#running.get(outlet) ?? new Map<string, AbortController>()
    if (own.size > 0)
      throw limitExceeded('one connection has one trace of a chain at a time: end the other first')
    if (!this.#running.has(outlet)) outlet.onceClosed(() => this.#forget(outlet))
    this.#running.set(outlet, own)
    const id = createId()
    const controller = new AbortController()
    own.set(id, controller)
    const activate = (): void => {
      this.#run(outlet, id, wish, controller.signal)
        .catch((error: unknown) => this.#log.warn({ err: error }, 'the trace of a chain ended early'))
        .finally(() => own.delete(id))
    }
    return { id, activate }
  }

  /** False when the connection has no such subscription. */
  unsubscribe(outlet: Outlet, id: string): boolean {
    const own = this.#running.get(outlet)
    own?.get(id)?.abort()
    return own?.delete(id) ?? false
  }

  #forget(outlet: Outlet): void {
    for (const controller of this.#running.get(outlet)?.values() ?? []) controller.abort()
    this.#running.delete(outlet)
  }

  async #run(
    outlet: Outlet,
    id: string,
    { from, to, options }: ChainTraceWish,
    signal: AbortSignal,
  ): Promise<void> {
    const name = Buffer.from(id)
    for (let number = from + 1; number <= to && !signal.aborted; number++) {
      // As in geth: of blocks without transactions only the last is told of, so that the client knows the end.
      if (this.#chain.blocks.transactionCount(number) === 0 && number < to) continue
      const tail = await this.#trace(number, options, signal)
      if (outlet.isFull) await drained(outlet, signal)
      if (signal.aborted) return
      outlet.push(new Notice([{ head, tail }], name.length), name)
    }
  }

  async #trace(number: number, options: TraceOptions, signal: AbortSignal): Promise<Buffer> {
    const hash = this.#chain.blocks.hash(number)
    const start = `","result":{"block":"${toQuantity(number)}","hash":"${toHex(hash ?? new Uint8Array(32))}","traces":`
    const traces = await this.#traces(number, options, signal)
    return Buffer.concat([Buffer.from(start), ...traces, Buffer.from('}}}')])
  }

  /** The list as JSON; where it fails, one entry that says so. */
  async #traces(number: number, options: TraceOptions, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const at = { kind: 'number', number: BigInt(number) } as const
    try {
      const text = await this.#chain.traces.block(at, options, signal)
      try {
        if (text.size > maxNotice) throw refused(`the traces of the block are larger than ${maxNotice} bytes`)
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

const drained = (outlet: Outlet, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    outlet.onceDrained(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
