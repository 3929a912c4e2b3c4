import { call, connect } from '../load/connection.ts'
import { ticker } from './accounts.ts'
import { recipient, signCall } from './signing.ts'

/** Sends a transfer each second, for which every node that makes blocks on demand makes one. */
export class Ticker {
  readonly #port: number
  readonly #everyMs: number
  #nonce = 0

  constructor(port: number, everyMs = 1_000) {
    this.#port = port
    this.#everyMs = everyMs
  }

  /** Runs the work with blocks made meanwhile. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    let failure: Error | undefined
    const tick = (): void => {
      const to = recipient(this.#nonce)
      const { raw } = signCall(ticker, this.#nonce++, { gasLimit: 21_000n, to, value: 1n })
      this.#send(raw).catch((error: Error) => {
        failure = error
      })
    }
    tick()
    const timer = setInterval(tick, this.#everyMs)
    const result = await work().finally(() => clearInterval(timer))
    if (failure !== undefined) throw failure
    return result
  }

  async #send(raw: string): Promise<void> {
    const connection = await connect(this.#port)
    try {
      await call(connection, 'eth_sendRawTransaction', raw)
    } finally {
      connection.close()
    }
  }
}
