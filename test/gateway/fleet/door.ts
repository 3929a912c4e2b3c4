import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A port that is known before whoever serves behind it: connections go to it once it is there, and are refused before. */
export class Door {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #target: number | undefined

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
      one.pipe(other)
    }
  }
}
