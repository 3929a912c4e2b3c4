import { isUtf8 } from 'node:buffer'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { TimeSlice } from '../../base/timeSlice.ts'
import type { JsonRpcSettings } from '../../config/settings.ts'
import type { Caller } from '../access/access.ts'
import { draining, type Entry, isRefusal, type Refusal } from '../access/entry.ts'
import type { Backlog } from './backlog.ts'
import type { ConnectionBudget } from './connections.ts'
import { Conversation, type ConversationDependencies } from './conversation.ts'
import { type Ending, SocketOutlet } from './socketOutlet.ts'
import { textFrames } from './wsFraming.ts'

export type WsOptions = Pick<
  JsonRpcSettings,
  'maxBodySize' | 'httpTimeout' | 'wsPingInterval' | 'wsMaxBacklog'
>

export interface WsDependencies extends ConversationDependencies {
  readonly entry: Entry
  readonly connections: ConnectionBudget
  /** Shared by all listeners of a server. */
  readonly backlog: Backlog
}

/** Close codes of RFC 6455 and its registry. */
const goingAway = 1001
const unsupportedData = 1007
const internalError = 1011
const tryAgainLater = 1013

/** How long a socket that is told to close may take before it is cut. */
const closeGraceMs = 5000

interface Client {
  readonly socket: WebSocket
  readonly conversation: Conversation
  readonly outlet: SocketOutlet
  isAlive: boolean
}

/** Takes WebSocket upgrades and carries on the conversations. */
export class WsHandler {
  readonly #options: WsOptions
  readonly #dependencies: WsDependencies
  readonly #server: WebSocketServer
  readonly #clients = new Set<Client>()
  readonly #pings: NodeJS.Timeout
  #isDraining = false

  constructor(options: WsOptions, dependencies: WsDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.maxBodySize,
    })
    this.#pings = setInterval(() => void this.#pingAll(), options.wsPingInterval)
    this.#pings.unref()
  }

  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const caller = this.#check(request)
    if (isRefusal(caller)) return this.#refuse(socket, caller)
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#dependencies.connections.upgraded(socket)
      this.#welcome(webSocket, socket, caller)
    })
  }

  /** Lets what runs finish, then says goodbye; sockets that do not leave by the deadline are cut. */
  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true
    clearInterval(this.#pings)
    const cut = setTimeout(() => {
      for (const { socket } of this.#clients) socket.terminate()
    }, deadlineMs)
    await Promise.all(
      [...this.#clients].map(async ({ socket, conversation }) => {
        await conversation.finish()
        if (socket.readyState === WebSocket.CLOSED) return
        const closed = new Promise((resolve) => socket.once('close', resolve))
        socket.close(goingAway, 'the server is shutting down')
        await closed
      }),
    )
    clearTimeout(cut)
  }

  #check(request: IncomingMessage): Caller | Refusal {
    const { entry } = this.#dependencies
    const { headers } = request
    const refusedHost = entry.checkHost(headers)
    if (refusedHost !== undefined) return refusedHost
    if (!entry.gate.allowsUpgrade(headers.origin, headers.host)) {
      const message = 'origin not allowed: add it to --json-rpc.cors'
      return { status: 403, reason: 'origin', message }
    }
    return this.#isDraining ? draining : entry.identify(request, 'ws')
  }

  #refuse(socket: Socket, refusal: Refusal): void {
    this.#dependencies.entry.count(refusal)
    const body = `${refusal.message}\n`
    const headers = {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
      ...refusal.headers,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`)
    // Node does not watch a socket that it handed out: left half open it would keep the listener from stopping.
    socket.destroySoon()
  }

  #welcome(webSocket: WebSocket, socket: Socket, caller: Caller): void {
    const line = {
      send: (answer: string | Buffer) => this.#send(client, answer),
      pause: () => webSocket.pause(),
      resume: () => {
        // Its pong may have waited unread all the while.
        client.isAlive = true
        webSocket.resume()
      },
    }
    const { httpTimeout, wsMaxBacklog } = this.#options
    // Whole frames go straight to the socket, between those of ws, which writes each of its own at once too.
    const outlet = new SocketOutlet({
      socket,
      framing: textFrames,
      maxBacklog: wsMaxBacklog,
      backlog: this.#dependencies.backlog,
      isOpen: () => webSocket.readyState === WebSocket.OPEN,
      end: (ending, why) => this.#end(client, ending, why),
    })
    const conversation = new Conversation(
      { caller, timeoutMs: httpTimeout, line, outlet },
      this.#dependencies,
    )
    const client: Client = { socket: webSocket, conversation, outlet, isAlive: true }
    this.#clients.add(client)
    webSocket.on('message', (data: RawData) => {
      const bytes = data as Buffer // the default binaryType gives Buffers
      if (isUtf8(bytes)) conversation.receive(bytes.toString())
      else webSocket.close(unsupportedData, 'messages are JSON in UTF-8')
    })
    webSocket.on('pong', () => {
      client.isAlive = true
    })
    // A frame that breaks the protocol or is too large: ws has sent the close code already.
    webSocket.on('error', () => {})
    webSocket.on('close', () => {
      this.#clients.delete(client)
      conversation.close()
      outlet.close()
      outlet.settle()
    })
  }

  #send({ socket, outlet }: Client, answer: string | Buffer): boolean {
    if (!outlet.mayWrite()) return true
    // Text whatever its type: clients parse text frames only.
    socket.send(answer, { binary: false }, outlet.settle)
    outlet.settle()
    return true
  }

  #end({ socket, conversation }: Client, ending: Ending, why: string): void {
    const isSlow = ending !== 'failed'
    if (isSlow) this.#dependencies.metrics.rejected('backlog')
    conversation.close()
    socket.close(isSlow ? tryAgainLater : internalError, why)
    if (ending === 'slow, at once') socket.terminate()
    else setTimeout(() => socket.terminate(), closeGraceMs).unref()
  }

  async #pingAll(): Promise<void> {
    const slice = new TimeSlice()
    for (const client of this.#clients) {
      const { socket } = client
      // Of a socket that we do not read, the pong may be waiting unread.
      if (!client.isAlive && !socket.isPaused) socket.terminate()
      client.isAlive = false
      if (socket.readyState === WebSocket.OPEN) socket.ping()
      if (slice.isOver) await slice.next()
    }
  }
}
