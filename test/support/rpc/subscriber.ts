import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { RpcFailure } from '../node.ts'

interface Incoming {
  readonly id?: number
  readonly result?: unknown
  readonly error?: RpcFailure
  readonly params?: { readonly subscription: string; readonly result: unknown }
}

/** The members of a `newHeads` notification that tests use. */
export interface HeadNotice {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

/** The members of a `logs` notification that tests use. */
export interface LogNotice {
  readonly blockNumber: string
  readonly logIndex: string
}

/**
 * A client with a WebSocket or IPC connection. It matches responses to calls and keeps notifications by subscription
 * id.
 */
export class Subscriber {
  /** All received messages in order: single ones and batches. */
  readonly messages: (Incoming | readonly Incoming[])[] = []
  readonly closed: Promise<{ readonly code: number }>
  readonly socket: WebSocket | Socket
  readonly #send: (text: string) => void
  readonly #waiting = new Set<() => void>()
  #isClosed = false
  #lastId = 0

  private constructor(socket: WebSocket | Socket, send: (text: string) => void) {
    this.socket = socket
    this.#send = send
    this.closed = new Promise((resolve) => {
      socket.once('close', (code: unknown) => {
        this.#isClosed = true
        this.#wake()
        resolve({ code: typeof code === 'number' ? code : 0 })
      })
    })
    socket.on('error', () => {})
  }

  /** `target` is a ws:// URL or the path of an IPC socket. */
  static async open(target: string): Promise<Subscriber> {
    if (target.startsWith('ws')) {
      const socket = new WebSocket(target)
      const subscriber = new Subscriber(socket, (text) => socket.send(text))
      socket.on('message', (data) => subscriber.#receive(String(data)))
      await once(socket, 'open')
      return subscriber
    }
    const socket = createConnection(target)
    const subscriber = new Subscriber(socket, (text) => void socket.write(text))
    let rest = ''
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) subscriber.#receive(line)
    })
    await once(socket, 'connect')
    return subscriber
  }

  close(): void {
    if (this.socket instanceof WebSocket) this.socket.terminate()
    else this.socket.destroy()
  }

  async request(method: string, ...params: readonly unknown[]): Promise<Incoming> {
    const id = ++this.#lastId
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return (await this.#first(
      (message) => !Array.isArray(message) && (message as Incoming).id === id,
    )) as Incoming
  }

  async batch(
    calls: readonly (readonly [method: string, ...params: unknown[]])[],
  ): Promise<readonly Incoming[]> {
    const ids = calls.map(() => ++this.#lastId)
    this.#send(
      JSON.stringify(
        calls.map(([method, ...params], index) => ({ jsonrpc: '2.0', id: ids[index], method, params })),
      ),
    )
    const isIt = (message: unknown): boolean =>
      Array.isArray(message) && (message as Incoming[])[0]?.id === ids[0]
    return (await this.#first(isIt)) as readonly Incoming[]
  }

  async subscribe(kind: string, options?: unknown): Promise<string> {
    const { result, error } = await this.request(
      'eth_subscribe',
      kind,
      ...(options === undefined ? [] : [options]),
    )
    if (error !== undefined) throw new Error(`${error.code} ${error.message}`)
    return result as string
  }

  /** Returns the results that a subscription has received so far. */
  received<T = unknown>(id: string): T[] {
    return this.messages.flatMap((message) => {
      const { params } = message as Incoming
      return params?.subscription === id ? [params.result as T] : []
    })
  }

  /** Waits until a subscription has received `count` results. */
  async wait<T = unknown>(id: string, count: number): Promise<T[]> {
    for (;;) {
      const told = this.received<T>(id)
      if (told.length >= count) return told
      await this.#more()
    }
  }

  async #first(isIt: (message: unknown) => boolean): Promise<unknown> {
    for (;;) {
      const found = this.messages.find(isIt)
      if (found !== undefined) return found
      await this.#more()
    }
  }

  async #more(): Promise<void> {
    if (this.#isClosed) throw new Error('the connection is closed')
    await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  #receive(text: string): void {
    this.messages.push(JSON.parse(text) as Incoming)
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}
