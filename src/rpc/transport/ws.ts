import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { TimeSlice } from '../../base/threads/timeSlice.ts'
import type { JsonRpcSettings } from '../../config/settings/settings.ts'
import type { Caller } from '../access/access.ts'
import {
  drainingRejection,
  type HttpRejection,
  isHttpRejection,
  type RequestGuard,
} from '../access/requestGuard.ts'
import { PiecedResponse } from '../dispatch/batchResponse.ts'
import type { Message } from '../dispatch/requestHandler.ts'
import type { SendBacklog } from './backlog.ts'
import type { ConnectionLimiter } from './connectionLimiter.ts'
import { ControlFrames } from './controlFrames.ts'
import { IncomingBytes } from './incomingBytes.ts'
import { RpcConnection, type RpcConnectionDependencies } from './rpcConnection.ts'
import { type CloseReason, SocketConnection } from './socketConnection.ts'
import { checkVersion } from './unknownUpgrade.ts'
import { frameText, textFraming } from './wsFraming.ts'

export type WsOptions = Pick<
  JsonRpcSettings,
  'maxBodySize' | 'httpTimeout' | 'wsPingInterval' | 'wsMaxBacklog'
>

export interface WsDependencies extends RpcConnectionDependencies {
  readonly guard: RequestGuard
  readonly connections: ConnectionLimiter
  /** Shared by all listeners of a server. */
  readonly backlog: SendBacklog
}

/** Close codes of RFC 6455 and its registry. */
const goingAway = 1001
const unsupportedData = 1007
const policyViolation = 1008
const internalError = 1011
const tryAgainLater = 1013

/** The length up to which a message is written in one piece with the head of its frame. */
const shortMessage = 16_384

/** How long a socket may take to close before it is terminated. */
const closeGraceMs = 5000

interface WsClient {
  readonly caller: Caller
  readonly socket: WebSocket
  readonly rpcConnection: RpcConnection
  readonly connection: SocketConnection
  isAlive: boolean
}

/** Accepts WebSocket upgrades and serves the connections. */
export class WsHandler {
  readonly #options: WsOptions
  readonly #dependencies: WsDependencies
  readonly #server: WebSocketServer
  readonly #clients = new Set<WsClient>()
  readonly #pings: NodeJS.Timeout
  /** The payloads of the newest ping and of the one before it, which nobody knows who does not read. */
  #pingPayloads: readonly Buffer[] = []
  #isDraining = false

  constructor(options: WsOptions, dependencies: WsDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: options.maxBodySize,
    })
    this.#pings = setInterval(() => void this.#pingAll(), options.wsPingInterval)
    this.#pings.unref()
  }

  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const caller = this.#check(request)
    if (isHttpRejection(caller)) return this.#reject(socket, caller)
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#dependencies.connections.onUpgrade(socket)
      this.#onConnection(webSocket, socket, caller)
    })
  }

  /** Closes the connections whose callers would not be let in any more. */
  closeRefused(): void {
    for (const client of this.#clients) this.#closeIfRefused(client)
  }

  /** Closes a connection whose caller would not be let in any more; returns whether it did. */
  #closeIfRefused(client: WsClient): boolean {
    const { guard, metrics } = this.#dependencies
    if (client.socket.readyState !== WebSocket.OPEN || guard.stillAdmits(client.caller)) return false
    metrics.rejected('key')
    this.#refuse(client, 'the API keys were changed, or the token has expired: connect again with a key')
    return true
  }

  /** Lets running calls finish, then closes the sockets; those that are still open at the deadline are terminated. */
  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true
    clearInterval(this.#pings)
    const deadline = setTimeout(() => {
      for (const { socket } of this.#clients) socket.terminate()
    }, deadlineMs)
    await Promise.all(
      [...this.#clients].map(async ({ socket, rpcConnection }) => {
        await rpcConnection.finish()
        if (socket.readyState === WebSocket.CLOSED) return
        const closed = new Promise((resolve) => socket.once('close', resolve))
        socket.close(goingAway, 'the server is shutting down')
        await closed
      }),
    )
    clearTimeout(deadline)
  }

  #check(request: IncomingMessage): Caller | HttpRejection {
    const { guard } = this.#dependencies
    const rejection = guard.checkHost(request) ?? guard.checkOrigin(request.headers)
    if (rejection !== undefined) return rejection
    if (this.#isDraining) return drainingRejection
    const caller = guard.identify(request, 'ws')
    return isHttpRejection(caller) ? caller : (checkVersion(request) ?? caller)
  }

  #reject(socket: Socket, rejection: HttpRejection): void {
    this.#dependencies.guard.countRejection(rejection)
    const body = `${rejection.message}\n`
    const headers = {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
      ...rejection.headers,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `HTTP/1.1 ${rejection.status} ${STATUS_CODES[rejection.status]}\r\n${lines.join('')}\r\n${body}`,
    )
    // Node does not watch a socket that it handed out, and a half-open one would keep the listener from stopping.
    socket.destroySoon()
  }

  #onConnection(webSocket: WebSocket, socket: Socket, caller: Caller): void {
    const transport = {
      send: (response: Message) => this.#send(client, response),
      pause: () => webSocket.pause(),
      resume: () => {
        // The pong may have waited unread during the pause.
        client.isAlive = true
        webSocket.resume()
      },
    }
    const { httpTimeout, wsMaxBacklog } = this.#options
    // Notifications are written to the socket as whole frames, between those of ws, which writes each frame at once
    // too.
    const connection = new SocketConnection({
      socket,
      framing: textFraming,
      maxBacklog: wsMaxBacklog,
      backlog: this.#dependencies.backlog,
      isOpen: () => webSocket.readyState === WebSocket.OPEN,
      end: (reason, message) => this.#end(client, reason, message),
    })
    const rpcConnection = new RpcConnection(
      { caller, timeoutMs: httpTimeout, transport, client: connection },
      this.#dependencies,
    )
    const client: WsClient = {
      caller,
      socket: webSocket,
      rpcConnection,
      connection,
      isAlive: true,
    }
    this.#clients.add(client)
    const incoming = this.#countIncoming(client, socket)
    webSocket.on('message', (data: RawData) => {
      const bytes = data as Buffer // the default binaryType gives Buffers
      incoming.subtractMessage(bytes.length)
      if (this.#closeIfRefused(client)) return
      if (isUtf8(bytes)) rpcConnection.receiveBytes(bytes)
      else webSocket.close(unsupportedData, 'messages are JSON in UTF-8')
    })
    const controlFrames = new ControlFrames(connection, (data) => {
      if (!connection.mayWrite()) return
      webSocket.pong(data, false, connection.onWritten)
      connection.countWrite()
    })
    const admitControlFrame = (data: Buffer): boolean => {
      incoming.subtractControlFrame(data.length)
      if (webSocket.readyState !== WebSocket.OPEN) return false
      if (controlFrames.admit()) return true
      this.#dependencies.metrics.rejected('control-frames')
      this.#refuse(client, 'too many pings and pongs')
      return false
    }
    webSocket.on('ping', (data: Buffer) => {
      if (admitControlFrame(data)) controlFrames.onPing(data)
    })
    webSocket.on('pong', (data: Buffer) => {
      // A pong that nobody asked for does not show that the client reads.
      if (admitControlFrame(data) && this.#pingPayloads.some((payload) => payload.equals(data)))
        client.isAlive = true
    })
    // A frame that breaks the protocol or is too large: ws has sent the close code already.
    webSocket.on('error', () => {})
    webSocket.on('close', () => {
      this.#clients.delete(client)
      incoming.set(0)
      rpcConnection.close()
      connection.close()
      connection.updateBacklog()
    })
  }

  /** Counts what arrives of a message before it is whole, and closes the socket if there is no memory for it. */
  #countIncoming({ socket: webSocket, rpcConnection }: WsClient, socket: Socket): IncomingBytes {
    const { budget, metrics } = this.#dependencies
    const incoming = new IncomingBytes(budget)
    // Before the listener of ws, which reads the messages that are whole with this chunk.
    socket.prependListener('data', (chunk: Buffer) => incoming.add(chunk.length))
    // And after it.
    socket.on('data', () => {
      // From the close on nothing is read or kept: ws lets what comes pass by.
      if (webSocket.readyState !== WebSocket.OPEN) incoming.set(0)
      else if (!incoming.settle()) {
        metrics.rejected('memory')
        rpcConnection.close()
        webSocket.close(tryAgainLater, 'too much is under way (json-rpc.request-memory)')
        webSocket.terminate()
      }
    })
    return incoming
  }

  #send({ socket, connection }: WsClient, response: Message): boolean {
    if (!connection.mayWrite()) return true
    if (response instanceof PiecedResponse) {
      connection.writePieces(response)
      return true
    }
    // ws writes the head of a frame and its text apart, which costs more than to write a short message.
    if (typeof response === 'string' && response.length <= shortMessage) {
      connection.writeFramed(frameText(response, Buffer.byteLength(response)))
      return true
    }
    // Sent as text even if it is a Buffer, because clients parse text frames only.
    socket.send(response, { binary: false }, connection.onWritten)
    connection.countWrite()
    return true
  }

  #refuse({ socket, rpcConnection }: WsClient, message: string): void {
    rpcConnection.close()
    socket.close(policyViolation, message)
    setTimeout(() => socket.terminate(), closeGraceMs).unref()
  }

  #end({ socket, rpcConnection }: WsClient, reason: CloseReason, message: string): void {
    const isSlow = reason !== 'failed'
    if (isSlow) this.#dependencies.metrics.rejected('backlog')
    rpcConnection.close()
    socket.close(isSlow ? tryAgainLater : internalError, message)
    if (reason === 'slow, at once') socket.terminate()
    else setTimeout(() => socket.terminate(), closeGraceMs).unref()
  }

  async #pingAll(): Promise<void> {
    const slice = new TimeSlice()
    const payload = randomBytes(8)
    this.#pingPayloads = [payload, ...this.#pingPayloads.slice(0, 1)]
    for (const client of this.#clients) {
      const { socket, connection } = client
      // The pong of a paused socket may be waiting unread.
      if (!client.isAlive && !socket.isPaused) socket.terminate()
      client.isAlive = false
      // Whoever only listens sends nothing that its token would be looked at for.
      this.#closeIfRefused(client)
      if (socket.readyState === WebSocket.OPEN) {
        socket.ping(payload, false, connection.onWritten)
        connection.countWrite()
      }
      if (slice.isOver) await slice.next()
    }
  }
}
