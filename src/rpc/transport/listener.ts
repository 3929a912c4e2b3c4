import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { explainListenError } from '../../base/exit.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { ListenAddress } from '../../config/kinds/addresses.ts'
import type { JsonRpcSettings } from '../../config/settings/settings.ts'
import type { InternalErrors } from '../dispatch/internalErrors.ts'
import type { ConnectionLimiter } from './connectionLimiter.ts'
import { DirectConnections } from './direct/connections.ts'
import { answerHalfOpen, limitHalfOpen } from './http/halfOpen.ts'
import { type HttpDependencies, HttpHandler, type HttpOptions } from './httpHandler.ts'
import type { TlsFiles } from './tls.ts'
import { isWebSocketUpgrade, withoutUpgrade } from './unknownUpgrade.ts'
import { type WsDependencies, WsHandler, type WsOptions } from './ws.ts'

export interface ListenerOptions
  extends HttpOptions,
    WsOptions,
    Pick<JsonRpcSettings, 'httpHeaderTimeout' | 'httpIdleTimeout'> {
  readonly address: ListenAddress
  /** The certificate to serve HTTPS and secure WebSocket with; undefined for plain ones. */
  readonly tls?: TlsFiles | undefined
  /** Whether node:http reads every request, as it does those that are not ordinary; for tests. */
  readonly readsByNode?: boolean | undefined
}

export interface ListenerDependencies extends HttpDependencies, WsDependencies {
  readonly connections: ConnectionLimiter
}

export type ListenerRole = 'http' | 'ws'

/** The settings that say where somebody listens. */
export const addressSettings: Readonly<Record<ListenerRole, string>> = {
  http: 'json-rpc.address',
  ws: 'json-rpc.ws-address',
}

/** Who is at the other end: a TLS socket tells the same as the connection below it, which it does not show. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** The interval at which Node checks for slow connections; they are closed within their limit plus this. */
const checkIntervalMs = 1000

/**
 * Serves HTTP requests, WebSocket upgrades or both on one address. Upgrades are served wherever HTTP is, so that the
 * role `ws` alone means that plain requests are rejected.
 */
export class Listener {
  readonly #options: ListenerOptions
  readonly #server: Server
  readonly #tlsServer: TlsServer | undefined
  readonly #log: Logger
  readonly #internalErrors: InternalErrors
  readonly #http: HttpHandler
  readonly #ws: WsHandler
  readonly #roles: Set<ListenerRole>
  readonly #connections: ConnectionLimiter
  readonly #direct: DirectConnections
  /** Has node:http read a connection. */
  readonly #readByNode: (socket: Socket) => void
  /** The open connections, each with its last response, because an upgrade waits for it. */
  readonly #sockets = new Map<Socket, ServerResponse | undefined>()

  /** The connections whose TLS handshake is not done, by their peer: Node counts them with none. */
  readonly #handshakes = new Map<string, Socket>()

  constructor(options: ListenerOptions, roles: readonly ListenerRole[], dependencies: ListenerDependencies) {
    this.#options = options
    this.#roles = new Set(roles)
    this.#log = dependencies.log
    this.#internalErrors = dependencies.internalErrors
    this.#http = new HttpHandler(options, dependencies)
    this.#ws = new WsHandler(options, dependencies)
    const serverOptions = {
      headersTimeout: Math.min(options.httpHeaderTimeout, options.httpTimeout),
      requestTimeout: options.httpTimeout,
      keepAliveTimeout: options.httpIdleTimeout,
      connectionsCheckingInterval: checkIntervalMs,
      noDelay: true,
    }
    const { tls, httpHeaderTimeout } = options
    this.#tlsServer =
      tls &&
      createTlsServer({
        ...serverOptions,
        ...tls,
        minVersion: 'TLSv1.2',
        handshakeTimeout: httpHeaderTimeout,
      })
    this.#server = this.#tlsServer ?? createServer(serverOptions)
    answerHalfOpen(this.#server)
    // Whoever does not finish its handshake counts as a connection too.
    this.#tlsServer?.on('connection', (socket: Socket) => {
      socket.on('error', () => {})
      if (dependencies.connections.admit(socket, 'http')) this.#awaitHandshake(socket)
    })
    this.#tlsServer?.on('tlsClientError', (_, socket) => socket.destroy())
    // A client that does not read its response is idle too; a client that waits for a running call is not.
    this.#server.timeout = Math.max(options.httpIdleTimeout, options.httpTimeout + checkIntervalMs)
    const taken = takeListener(this.#server, this.#acceptEvent)
    // A connection may be given to a server of Node by this event.
    this.#readByNode = taken ?? ((socket) => void this.#server.emit(this.#acceptEvent, socket))
    this.#connections = dependencies.connections
    this.#direct = new DirectConnections(
      {
        keepAliveMs: serverOptions.keepAliveTimeout,
        headersMs: serverOptions.headersTimeout,
        timeoutMs: this.#server.timeout,
      },
      {
        ...dependencies,
        isServing: () => this.#roles.has('http'),
        serve: (exchange) => this.#http.handleDirect(exchange),
        toNode: (socket) => this.#readByNode(socket),
      },
    )
    if (taken === undefined) {
      dependencies.log.warn({ node: process.versions.node }, 'node:http reads every request, which is slower')
      // Before Node's own, which reads the connection then.
      this.#server.prependListener(this.#acceptEvent, (socket: Socket) =>
        this.#contain(socket, () => this.#sockets.has(socket) || this.#admit(socket)),
      )
    } else
      this.#server.on(this.#acceptEvent, (socket: Socket) =>
        this.#contain(socket, () => {
          if (!this.#admit(socket)) return
          if (options.readsByNode) this.#readByNode(socket)
          else this.#direct.accept(socket)
        }),
      )
    this.#server.on('request', (request, response) =>
      this.#contain(request.socket, () => this.#serve(request, response)),
    )
    this.#server.on('upgrade', (request, socket: Socket, head) =>
      this.#contain(socket, () => this.#upgrade(request, socket, head)),
    )
  }

  get isSecure(): boolean {
    return this.#tlsServer !== undefined
  }

  /** The event with which a connection is there on which requests come. */
  get #acceptEvent(): 'connection' | 'secureConnection' {
    return this.isSecure ? 'secureConnection' : 'connection'
  }

  /** Uses other files of a certificate from the next connection on. */
  setTls(tls: TlsFiles): void {
    this.#tlsServer?.setSecureContext(tls)
  }

  /** Closes the connections whose callers would not be let in any more; each HTTP request is checked anyway. */
  closeRefused(): void {
    this.#ws.closeRefused()
  }

  get roles(): ReadonlySet<ListenerRole> {
    return this.#roles
  }

  /** The address that the server really listens on, with port 0 resolved. */
  get address(): ListenAddress {
    const { address, port } = this.#server.address() as AddressInfo // a TCP server that listens has one
    return { host: address, port }
  }

  /** Returns whether this listener has the address, as configured or as resolved. */
  listensOn({ host, port }: ListenAddress): boolean {
    const { address } = this
    return port === address.port && (host === address.host || host === this.#options.address.host)
  }

  addRole(role: ListenerRole): void {
    this.#roles.add(role)
  }

  /** Removes one of two roles; the last one ends with `stop`. */
  removeRole(role: ListenerRole): void {
    this.#roles.delete(role)
  }

  /** Starts to listen: on the address, or on the handle of a socket that is bound to it already. */
  start(handle?: object): Promise<void> {
    const { host, port } = this.#options.address
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void =>
        reject(
          explainListenError(
            error,
            `${host}:${port}`,
            addressSettings[this.#roles.has('http') ? 'http' : 'ws'],
          ),
        )
      this.#server.once('error', fail)
      this.#server.listen(handle ?? { host, port }, () => {
        this.#server.off('error', fail)
        // A connection could not be accepted, for example for lack of file descriptors; the others continue.
        this.#server.on('error', (error) => this.#log.error({ err: error }, 'a connection was lost'))
        resolve()
      })
    })
  }

  #admit(socket: Socket): boolean {
    this.#handshakes.delete(peerOf(socket))
    // Under TLS the connection below was counted.
    if (!this.isSecure && !this.#connections.admit(socket, 'http')) return false
    this.#sockets.set(socket, undefined)
    // After Node's parser has released a socket for an upgrade, an error without a listener would end the process.
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    limitHalfOpen(socket)
    return true
  }

  /** Stops accepting, lets running calls finish, and destroys the connections that are still open at the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    this.#http.drain()
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeIdleConnections()
    this.#direct.drain()
    // Node does not count a connection that never sent a byte as idle.
    for (const socket of this.#sockets.keys()) if (socket.bytesRead === 0) socket.destroy()
    // Nothing was asked on these.
    for (const socket of this.#handshakes.values()) socket.destroy()
    const deadline = setTimeout(() => {
      this.#server.closeAllConnections()
      this.#direct.destroy()
    }, deadlineMs)
    await Promise.all([this.#ws.drain(deadlineMs), closed])
    clearTimeout(deadline)
  }

  #awaitHandshake(socket: Socket): void {
    const peer = peerOf(socket)
    this.#handshakes.set(peer, socket)
    socket.once('close', () => {
      // Another connection from there may have come since.
      if (this.#handshakes.get(peer) === socket) this.#handshakes.delete(peer)
    })
  }

  /** Runs what a socket's event asks for; what is thrown ends the connection and not the process. */
  #contain(socket: Socket, work: () => unknown): void {
    try {
      work()
    } catch (error) {
      this.#internalErrors.record('transport', error)
      socket.destroy()
    }
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (this.#sockets.has(request.socket)) this.#sockets.set(request.socket, response)
    if (this.#roles.has('http')) return this.#http.handle(request, response)
    const message = 'this address serves WebSocket only'
    this.#http.reject(request, response, {
      status: 426,
      reason: 'path',
      message,
      headers: { Upgrade: 'websocket' },
    })
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const previous = this.#sockets.get(socket)
    if (previous !== undefined && !previous.closed) {
      this.#afterResponse(previous, socket, () => this.#upgrade(request, socket, head))
    } else if (isWebSocketUpgrade(request)) {
      this.#ws.upgrade(request, socket, head)
    } else {
      socket.unshift(withoutUpgrade(request, head))
      this.#readByNode(socket)
    }
  }

  /**
   * Waits for the response to an earlier pipelined request. Node does not watch the socket any more, so that its end
   * is handled here.
   */
  #afterResponse(response: ServerResponse, socket: Socket, proceed: () => void): void {
    const abandon = (): void => void response.destroy()
    socket.once('close', abandon)
    response.once('close', () => {
      socket.off('close', abandon)
      if (socket.writable) proceed()
      else socket.destroy()
    })
  }
}

/** Takes away the listener with which a server of Node reads its connections, and returns it; undefined if Node has another way. */
const takeListener = (server: Server, event: string): ((socket: Socket) => void) | undefined => {
  const listeners = server.listeners(event) as ((socket: Socket) => void)[] // as Node documents the event
  const [listener] = listeners
  if (listener === undefined || listeners.length > 1) return undefined
  server.off(event, listener)
  return (socket) => listener.call(server, socket)
}
