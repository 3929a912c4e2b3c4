import { WebSocket } from 'ws'
import type { Rotation } from './rotation.ts'

interface Told {
  readonly id?: number
  readonly error?: { readonly code: number; readonly message: string }
  readonly params?: { readonly result: Readonly<Record<string, string>> }
}

/** What a subscriber makes of what it hears. */
export interface Listener {
  readonly kind: 'newHeads' | 'logs'
  /** The block from which it wants to hear everything, when it subscribes again. */
  resumeFrom(): number
  hear(result: Readonly<Record<string, string>>): void
}

/** A subscriber that goes to the next gateway when its connection ends, and goes on where it was. */
export class Watcher {
  readonly #rotation: Rotation
  readonly #listener: Listener
  #socket: WebSocket | undefined
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(rotation: Rotation, listener: Listener) {
    this.#rotation = rotation
    this.#listener = listener
    this.#open()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#socket?.terminate()
  }

  #open(): void {
    if (this.#isClosed) return
    const socket = new WebSocket(this.#rotation.next().replace('http', 'ws'))
    this.#socket = socket
    const { kind } = this.#listener
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      this.#timer = setTimeout(() => this.#open(), 100)
    })
    socket.on('open', () => {
      const fromBlock = `0x${this.#listener.resumeFrom().toString(16)}`
      const params = [kind, { fromBlock }]
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
    })
    socket.on('message', (message) => {
      const { error, params } = JSON.parse(String(message)) as Told
      // A gateway that is behind has no such block yet: another one has.
      if (error !== undefined) socket.terminate()
      else if (params !== undefined) this.#listener.hear(params.result)
    })
  }
}
