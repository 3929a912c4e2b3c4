import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ReplayChain } from '../chain.ts'
import { type GrpcServer, startGrpc } from './grpc.ts'
import { distort, type Faults } from './injectedFaults.ts'
import { callMethod, type Params, RpcError } from './rpc.ts'

export interface ReplayOptions {
  readonly chain: ReplayChain
  readonly faults?: Faults
  /** Of the RPC; any free one by default. */
  readonly port?: number
  readonly grpcPort?: number
  /** A block more each so many milliseconds. */
  readonly beat?: number
}

export interface Replay {
  /** `http://127.0.0.1:…`; the WebSocket is at `/websocket`. */
  readonly url: string
  /** `127.0.0.1:…` */
  readonly grpcAddress: string
  readonly chain: ReplayChain
  readonly faults: Faults
  /** How often each method was asked. */
  readonly asked: ReadonlyMap<string, number>
  /** Open connections of the RPC. */
  readonly connections: number
  /** Replaces the faults; without any the server is honest. */
  setFaults(faults: Faults): Promise<void>
  /** Some blocks more, each told to who subscribed. */
  grow(blocks?: number): void
  /** Tells the newest block to who subscribed: for a chain that another server made grow. */
  announce(): void
  /** Drops every connection, is away for so long, and comes back on the same ports. */
  restart(milliseconds: number): Promise<void>
  close(): Promise<void>
}

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params: Params
}

interface Subscriber {
  readonly id: unknown
  readonly query: string
}

/** CometBFT's own bounds (section 2.1). */
const maxBatch = 10
const maxSubscriptions = 5
const maxBody = 1_000_000

const positions: Readonly<Record<string, readonly string[]>> = {
  subscribe: ['query'],
  block: ['height'],
  block_results: ['height'],
  abci_query: ['path', 'data', 'height', 'prove'],
}

const named = (method: string, params: unknown): Params => {
  if (!Array.isArray(params)) return (params ?? {}) as Params
  const names = positions[method] ?? []
  return Object.fromEntries(params.map((value, at) => [names[at] ?? String(at), value]))
}

const parseRequest = (value: unknown): Request => {
  const { id, method, params } = value as { id?: unknown; method?: unknown; params?: unknown }
  if (typeof method !== 'string') throw new RpcError(-32600, 'Invalid Request')
  return { id: id ?? null, method, params: named(method, params) }
}

class ReplayServer implements Replay {
  readonly chain: ReplayChain
  readonly asked = new Map<string, number>()
  faults: Faults
  readonly #options: ReplayOptions
  #server: Server | undefined
  #grpc: GrpcServer | undefined
  #port = 0
  #grpcPort = 0
  #beat: NodeJS.Timeout | undefined
  readonly #sockets = new Set<Socket>()
  readonly #subscribers = new Map<WebSocket, Subscriber[]>()

  constructor(options: ReplayOptions) {
    this.#options = options
    this.chain = options.chain
    this.faults = options.faults ?? {}
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get grpcAddress(): string {
    return `127.0.0.1:${this.#grpcPort}`
  }

  get connections(): number {
    return this.#sockets.size
  }

  async start(): Promise<void> {
    await this.#listen(this.#options.port ?? 0, this.#options.grpcPort ?? 0)
    if (this.faults.down) await this.#stop()
    const { beat } = this.#options
    if (beat !== undefined) this.#beat = setInterval(() => this.grow(), beat)
  }

  async #listen(port: number, grpcPort: number): Promise<void> {
    const server = createServer((request, response) => void this.#http(request, response))
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: maxBody })
    server.on('upgrade', (request, socket, head) => {
      if (request.url !== '/websocket' || !this.#hasKey(request)) socket.destroy()
      else sockets.handleUpgrade(request, socket, head, (client) => this.#accept(client))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
    this.#port = (server.address() as { port: number }).port // it listens on a port
    this.#grpc = await startGrpc(this, grpcPort)
    this.#grpcPort = this.#grpc.port
  }

  async #stop(): Promise<void> {
    const server = this.#server
    const grpc = this.#grpc
    this.#server = undefined
    this.#grpc = undefined
    for (const socket of this.#sockets) socket.destroy()
    this.#subscribers.clear()
    if (server?.listening) {
      server.close()
      await once(server, 'close')
    }
    await grpc?.close()
  }

  async setFaults(faults: Faults): Promise<void> {
    this.faults = faults
    if (faults.down && this.#server) await this.#stop()
    else if (!faults.down && this.#server === undefined) await this.#listen(this.#port, this.#grpcPort)
  }

  async restart(milliseconds: number): Promise<void> {
    await this.#stop()
    await sleep(milliseconds)
    if (this.#server === undefined) await this.#listen(this.#port, this.#grpcPort)
  }

  async close(): Promise<void> {
    clearInterval(this.#beat)
    await this.#stop()
  }

  grow(blocks = 1): void {
    for (let at = 0; at < blocks; at++) {
      this.chain.grow()
      this.#tell(this.chain.head)
    }
  }

  announce(): void {
    this.#tell(this.chain.head)
  }

  #tell(height: number): void {
    const value = this.chain.newBlock(height)
    if (value === undefined) return
    for (const [client, subscribers] of this.#subscribers)
      for (const { id, query } of subscribers.filter((one) => /tm\.event\s*=\s*'NewBlock'/.test(one.query))) {
        const event = `{"query":${JSON.stringify(query)},"data":{"type":"tendermint/event/NewBlock","value":${value}},"events":{"tm.event":["NewBlock"]}}`
        const result = distort(this.faults, 'NewBlock', event, { height: String(height) })
        client.send(this.#envelope(id, result))
      }
    const { block } = JSON.parse(value) as { block: { header: unknown } }
    const header = JSON.stringify({ header: block.header })
    for (const [client, subscribers] of this.#subscribers)
      for (const { id, query } of subscribers.filter((one) => one.query === "tm.event='NewBlockHeader'")) {
        const data = `{"type":"tendermint/event/NewBlockHeader","value":${header}}`
        client.send(this.#envelope(id, `{"query":${JSON.stringify(query)},"data":${data},"events":{}}`))
      }
  }

  #envelope(id: unknown, result: string): string {
    const said = this.faults.wrongIds ? 987_654_321 : id
    return `{"jsonrpc":"2.0","id":${JSON.stringify(said)},"result":${result}}`
  }

  #failure(id: unknown, fault: RpcError): string {
    const said = this.faults.wrongIds ? 987_654_321 : id
    const { code, message, data } = fault
    return JSON.stringify({
      jsonrpc: '2.0',
      id: said,
      error: { code, message, ...(data === undefined ? {} : { data }) },
    })
  }

  /** The text of an answer; undefined where there is none to come. */
  async #answer(value: unknown, client?: WebSocket): Promise<string | undefined> {
    let id: unknown = null
    try {
      const request = parseRequest(value)
      id = request.id
      const { method, params } = request
      this.asked.set(method, (this.asked.get(method) ?? 0) + 1)
      if (this.faults.hangs?.includes(method)) return undefined
      if (this.faults.delay) await sleep(this.faults.delay)
      if (client !== undefined && method.includes('subscribe'))
        return this.#envelope(id, this.#subscribe(client, request))
      const result = callMethod(this, method, params)
      return this.faults.text ?? this.#envelope(id, this.#distorted(method, result, params))
    } catch (error) {
      if (error instanceof RpcError) return this.#failure(id, error)
      return this.#failure(id, new RpcError(-32603, 'Internal error', (error as Error).message))
    }
  }

  #distorted(method: string, result: string, params: Params): string {
    return Object.keys(this.faults).length === 0 ? result : distort(this.faults, method, result, params)
  }

  #subscribe(client: WebSocket, { id, method, params }: Request): string {
    const subscribers = this.#subscribers.get(client) ?? []
    const query = String(params.query ?? '')
    if (method === 'subscribe') {
      if (subscribers.length >= maxSubscriptions)
        throw new RpcError(
          -32603,
          'Internal error',
          `max_subscriptions_per_client ${maxSubscriptions} reached`,
        )
      if (subscribers.some((one) => one.query === query))
        throw new RpcError(-32603, 'Internal error', 'already subscribed')
      this.#subscribers.set(client, [...subscribers, { id, query }])
    } else
      this.#subscribers.set(
        client,
        method === 'unsubscribe_all' ? [] : subscribers.filter((one) => one.query !== query),
      )
    return '{}'
  }

  /** One request after the other, as CometBFT does; answers come in the order of the questions. */
  #accept(client: WebSocket): void {
    let turn: Promise<void> = Promise.resolve()
    client.on('error', () => client.terminate())
    client.on('close', () => this.#subscribers.delete(client))
    client.on('message', (message) => {
      const value = parseJson(String(message))
      turn = turn.then(async () => {
        const text =
          value === undefined
            ? this.#failure(null, new RpcError(-32700, 'Parse error'))
            : await this.#answer(value, client)
        if (text !== undefined) await this.#send(client, text)
      })
    })
  }

  async #send(client: WebSocket, text: string): Promise<void> {
    const { drip, truncated } = this.faults
    if (truncated !== undefined) {
      client.send(text.slice(0, Math.floor(text.length * truncated)), { fin: false })
      await sleep(5)
      client.terminate()
    } else if (drip === undefined) client.send(text)
    else
      for (let at = 0; at < text.length && client.readyState === client.OPEN; at += drip.bytes) {
        client.send(text.slice(at, at + drip.bytes), { fin: at + drip.bytes >= text.length })
        await sleep(drip.every)
      }
  }

  #hasKey({ headers }: IncomingMessage): boolean {
    return this.faults.key === undefined || headers['x-api-key'] === this.faults.key
  }

  async #http(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => response.destroy())
    const body = await readBody(request)
    if (!this.#hasKey(request)) {
      response.writeHead(401).end()
      return
    }
    const { limitedFor } = this.faults
    if (limitedFor !== undefined) {
      this.asked.set('refused', (this.asked.get('refused') ?? 0) + 1)
      response.writeHead(429, { 'retry-after': String(limitedFor) }).end()
      return
    }
    if (request.method !== 'POST' || body === undefined) {
      response.writeHead(request.method === 'POST' ? 413 : 405).end()
      return
    }
    const text = await this.#httpAnswer(body)
    if (text === undefined) return
    const { drip, truncated, cuts, pages } = this.faults
    const method = (parseJson(body) as Partial<Request> | undefined)?.method ?? ''
    if (cuts?.includes(method)) {
      response.destroy()
      return
    }
    const status = pages?.[method]
    if (status !== undefined) {
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Bad Gateway</body></html>')
      return
    }
    const bytes = Buffer.from(text)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
    if (truncated !== undefined) {
      response.write(bytes.subarray(0, Math.floor(bytes.length * truncated)), () => response.destroy())
      return
    }
    if (drip === undefined) {
      response.end(bytes)
      return
    }
    for (let at = 0; at < bytes.length && !response.destroyed; at += drip.bytes) {
      response.write(bytes.subarray(at, at + drip.bytes))
      await sleep(drip.every)
    }
    response.end()
  }

  async #httpAnswer(body: string): Promise<string | undefined> {
    const value = parseJson(body)
    if (value === undefined) return this.#failure(null, new RpcError(-32700, 'Parse error'))
    if (!Array.isArray(value)) return await this.#answer(value)
    if (value.length > maxBatch) {
      const data = `batch request exceeds maximum (${maxBatch}) allowed number of requests`
      return this.#failure(null, new RpcError(-32600, 'Invalid Request', data))
    }
    const answers = await Promise.all(value.map((one) => this.#answer(one)))
    return answers.includes(undefined) ? undefined : `[${answers.join(',')}]`
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined where it is longer than CometBFT takes. */
const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBody) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** A node for tests: CometBFT's RPC by HTTP and WebSocket, and the modules' queries by gRPC. */
export const startReplay = async (options: ReplayOptions): Promise<Replay> => {
  const server = new ReplayServer(options)
  await server.start()
  return server
}
