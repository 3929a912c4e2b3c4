import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A JSON-RPC call and its answer. */
export interface ProxiedCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

interface ProxiedAnswer {
  readonly id: number
  result?: unknown
  error?: { readonly code: number; readonly message: string }
}

/** What becomes of one body instead of an answer. */
export type Fault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers?: Record<string, string>
      readonly text?: string
    }
  /** The connection is closed in the middle. */
  | { readonly kind: 'drop' }
  /** An error of JSON-RPC for the whole body, with headers. */
  | {
      readonly kind: 'error'
      readonly code: number
      readonly message: string
      readonly headers?: Record<string, string>
    }

/** A node between the fork and the real remote, which misbehaves as a test wants. */
export class ProxyRemote {
  readonly #target: string
  readonly #server: Server
  /** The faults of the next bodies; one that is undefined is answered. */
  readonly faults: (Fault | undefined)[] = []
  /** What happens to every body once `faults` is empty. */
  always: Fault | undefined
  /** How long each answer takes. */
  delayMs = 0
  /** The largest batch that is taken; others are refused as a whole. */
  maxBatch = Number.POSITIVE_INFINITY
  /** Changes the result of a call. */
  tamper: (call: ProxiedCall, result: unknown) => unknown = (_, result) => result
  /** Returns the error of a call in the place of its result; undefined for none. */
  refuse: (call: ProxiedCall) => ProxiedAnswer['error'] | undefined = () => undefined
  /** The bodies that came, each with its calls, and the headers of the last one. */
  readonly bodies: ProxiedCall[][] = []
  headers: IncomingMessage['headers'] = {}
  /** When each body came, in milliseconds. */
  readonly times: number[] = []

  private constructor(target: string) {
    this.#target = target
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
  }

  static async start(target: string): Promise<ProxyRemote> {
    const proxy = new ProxyRemote(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` // it listens on a port
  }

  get calls(): readonly ProxiedCall[] {
    return this.bodies.flat()
  }

  /** Forgets what came. */
  clear(): void {
    this.bodies.length = 0
    this.times.length = 0
  }

  /** Makes everything as it was at the start. */
  repair(): void {
    this.clear()
    this.faults.length = 0
    this.always = undefined
    this.delayMs = 0
    this.maxBatch = Number.POSITIVE_INFINITY
    this.tamper = (_, result) => result
    this.refuse = () => undefined
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString()
    const parsed = JSON.parse(text) as ProxiedCall | ProxiedCall[]
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    this.bodies.push(calls)
    this.times.push(performance.now())
    this.headers = request.headers
    const fault = this.faults.length > 0 ? this.faults.shift() : this.always
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs))
    if (fault !== undefined) return this.#fail(fault, response)
    if (calls.length > this.maxBatch)
      return this.#fail({ kind: 'error', code: -32600, message: 'batch too large' }, response)
    const answers = await this.#forward(calls)
    const changed = answers.map((answer) => {
      const call = calls.find(({ id }) => id === answer.id)
      const error = call && this.refuse(call)
      if (error !== undefined) return { jsonrpc: '2.0', id: answer.id, error }
      return call !== undefined && 'result' in answer
        ? { ...answer, result: this.tamper(call, answer.result) }
        : answer
    })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(parsed) ? changed : changed[0]))
  }

  #fail(fault: Fault, response: ServerResponse): void {
    switch (fault.kind) {
      case 'drop':
        response.writeHead(200, { 'content-length': '1000' })
        response.write('{"jsonrpc')
        response.destroy()
        break
      case 'status':
        response.writeHead(fault.status, fault.headers)
        response.end(fault.text ?? '')
        break
      case 'error': {
        const { code, message } = fault
        response.writeHead(200, { 'content-type': 'application/json', ...fault.headers })
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
        break
      }
    }
  }

  async #forward(calls: readonly ProxiedCall[]): Promise<readonly ProxiedAnswer[]> {
    const response = await fetch(this.#target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    })
    return (await response.json()) as readonly ProxiedAnswer[]
  }
}
