import { endpoint } from '../rpc/proof.ts'
import { texts } from '../texts/texts.ts'

export interface HeadListener {
  /** A connection is there; whatever happened before it must be requested. */
  onOpen(): void
  onHead(head: { readonly number: string; readonly hash: string }): void
  /** The connection is gone; with the reason if the node refused to tell of heads. */
  onClose(refusal?: string): void
}

/** A source of heads while it runs. */
export interface HeadFollower {
  start(): void
  stop(): void
}

interface Message {
  readonly result?: unknown
  readonly error?: { readonly message?: string } | null
  readonly params?: { readonly result?: { readonly number: string; readonly hash: string } }
}

/** Invalid JSON is ignored, like a message without members. */
const readMessage = (data: unknown): Message => {
  try {
    return (JSON.parse(String(data)) ?? {}) as Message
  } catch {
    return {}
  }
}

/** The pauses before further attempts, in ms. */
const pauses = [300, 1000, 2000, 5000, 10_000] as const

/** Follows the heads of the chain over WebSocket, and connects again for as long as it runs. */
export class HeadSocket implements HeadFollower {
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
    let refusal: string | undefined
    const isCurrent = (): boolean => this.#socket === socket
    socket.onopen = () => {
      if (!isCurrent()) return
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    }
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      if (!isCurrent()) return
      const { params, error, result } = readMessage(data)
      if (params?.result != null) return this.#listener.onHead(params.result)
      if (error != null) {
        // A connection over which no head will come is worth nothing: whoever listens must ask.
        refusal = error.message || texts.errors.noReason
        return socket.close()
      }
      if (result === undefined) return
      // Only now no head is missed any more.
      this.#failures = 0
      this.#listener.onOpen()
    }
    socket.onclose = () => {
      if (!isCurrent()) return
      this.#socket = undefined
      this.#listener.onClose(refusal)
      const pause = pauses[Math.min(this.#failures++, pauses.length - 1)]
      if (this.#isRunning) this.#timer = setTimeout(() => this.#connect(), pause)
    }
  }
}
