import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often what is held back looks whether its time has come. */
const lookMs = 5

/**
 * A port that is known before whoever serves behind it: connections go to it once it is there, and are closed before. It can
 * hold back what passes, as a slow line does, or one that is cut.
 */
export class Door {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #target: number | undefined
  #delayMs = 0

  constructor() {
    this.#server = createServer((client) => this.#pass(client))
  }

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port // it listens on a port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  leadTo(url: string | undefined): void {
    this.#target = url === undefined ? undefined : Number(new URL(url).port)
    if (this.#target === undefined) for (const socket of this.#sockets) socket.destroy()
  }

  /** Everything arrives so much later; with `Infinity` nothing does, until this is called again. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds
  }

  async close(): Promise<void> {
    this.leadTo(undefined)
    this.#server.close()
    await once(this.#server, 'close')
  }

  #pass(client: Socket): void {
    if (this.#target === undefined) return void client.destroy()
    const inner = connect(this.#target, '127.0.0.1')
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      this.#carry(one, other)
    }
  }

  #carry(from: Socket, to: Socket): void {
    const held: { readonly chunk: Buffer | undefined; readonly at: number }[] = []
    let isCarrying = false
    const write = (chunk: Buffer | undefined): void => {
      if (chunk === undefined) to.end()
      else to.write(chunk)
    }
    const carry = async (): Promise<void> => {
      isCarrying = true
      for (let next = held[0]; next !== undefined && !to.destroyed; next = held[0]) {
        while (performance.now() - next.at < this.#delayMs && !to.destroyed) await sleep(lookMs)
        held.shift()
        write(next.chunk)
      }
      isCarrying = false
    }
    const take = (chunk: Buffer | undefined): void => {
      if (this.#delayMs === 0 && !isCarrying) return write(chunk)
      held.push({ chunk, at: performance.now() })
      if (!isCarrying) void carry()
    }
    from.on('data', take)
    from.on('end', () => take(undefined))
  }
}
