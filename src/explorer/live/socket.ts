import { endpoint } from '../rpc/client.ts'

export interface HeadListener {
  /** A connection is there; whatever happened before it has to be asked for. */
  onOpen(): void
  onHead(head: { readonly number: string; readonly hash: string }): void
  onClose(): void
}

/** The pauses before further attempts, in ms. */
const pauses = [300, 1000, 2000, 5000, 10_000] as const

/** Follows the heads of the chain over WebSocket, and connects again for as long as it runs. */
export class HeadSocket {
  readonly #listener: HeadListener
  #socket: WebSocket | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #isRunning = false

  constructor(listener: HeadListener) {
    this.#listener = listener
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#failures = 0
    this.#connect()
  }

  stop(): void {
    this.#isRunning = false
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  #connect(): void {
    const url = endpoint()
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(url)
    this.#socket = socket
    const isCurrent = (): boolean => this.#socket === socket
    socket.onopen = () => {
      if (!isCurrent()) return
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    }
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      if (!isCurrent()) return
      const message = JSON.parse(data) as {
        readonly id?: number
        readonly params?: { readonly result: { readonly number: string; readonly hash: string } }
      }
      if (message.params !== undefined) return this.#listener.onHead(message.params.result)
      // Only now no head is missed any more.
      this.#failures = 0
      this.#listener.onOpen()
    }
    socket.onclose = () => {
      if (!isCurrent()) return
      this.#socket = undefined
      this.#listener.onClose()
      const pause = pauses[Math.min(this.#failures++, pauses.length - 1)]
      if (this.#isRunning) this.#timer = setTimeout(() => this.#connect(), pause)
    }
  }
}
