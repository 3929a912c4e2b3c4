import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { explainListenError } from '../../base/exit.ts'
import type { Logger } from '../../base/log.ts'
import type { ListenAddress } from '../../config/kinds/addresses.ts'
import type { JsonRpcSettings } from '../../config/settings.ts'
import type { ConnectionBudget } from './connections.ts'
import { type HttpDependencies, HttpHandler, type HttpOptions } from './http.ts'
import { isWebSocketUpgrade, withoutUpgrade } from './unknownUpgrade.ts'
import { type WsDependencies, WsHandler, type WsOptions } from './ws.ts'

export interface ListenerOptions
  extends HttpOptions,
    WsOptions,
    Pick<JsonRpcSettings, 'httpHeaderTimeout' | 'httpIdleTimeout'> {
  readonly address: ListenAddress
}

export interface ListenerDependencies extends HttpDependencies, WsDependencies {
  readonly connections: ConnectionBudget
}

export type Role = 'http' | 'ws'

/** How often Node looks for connections that are too slow: they are closed within the limit plus this. */
const checkIntervalMs = 1000

/**
 * One address. It takes HTTP requests, WebSocket upgrades or both: upgrades are served wherever HTTP is, so the role
 * `ws` alone means that plain requests are refused.
 */
export class Listener {
  readonly #options: ListenerOptions
  readonly #server: Server
  readonly #log: Logger
  readonly #http: HttpHandler
  readonly #ws: WsHandler
  readonly #roles: Set<Role>
  /** The open connections, each with its last response: an upgrade waits for it. */
  readonly #sockets = new Map<Socket, ServerResponse | undefined>()

  constructor(options: ListenerOptions, roles: readonly Role[], dependencies: ListenerDependencies) {
    this.#options = options
    this.#roles = new Set(roles)
    this.#log = dependencies.log
    this.#http = new HttpHandler(options, dependencies)
    this.#ws = new WsHandler(options, dependencies)
    this.#server = createServer({
      headersTimeout: Math.min(options.httpHeaderTimeout, options.httpTimeout),
      requestTimeout: options.httpTimeout,
      keepAliveTimeout: options.httpIdleTimeout,
      connectionsCheckingInterval: checkIntervalMs,
      noDelay: true,
    })
    // A client that reads nothing of its answer is idle too; one that waits for a call that runs is not.
    this.#server.timeout = Math.max(options.httpIdleTimeout, options.httpTimeout + checkIntervalMs)
    this.#server.on('connection', (socket: Socket) => this.#accept(socket, dependencies.connections))
    this.#server.on('request', (request, response) => this.#serve(request, response))
    this.#server.on('upgrade', (request, socket: Socket, head) => this.#upgrade(request, socket, head))
  }

  get roles(): ReadonlySet<Role> {
    return this.#roles
  }

  /** The address that it really listens on, port 0 resolved. */
  get address(): ListenAddress {
    const { address, port } = this.#server.address() as AddressInfo // a TCP server that listens has one
    return { host: address, port }
  }

  /** Whether an address is this one, as it was asked for or as it turned out. */
  isAt({ host, port }: ListenAddress): boolean {
    const { address } = this
    return port === address.port && (host === address.host || host === this.#options.address.host)
  }

  addRole(role: Role): void {
    this.#roles.add(role)
  }

  /** Gives up a role that it shares with another; the last one ends with `stop`. */
  removeRole(role: Role): void {
    this.#roles.delete(role)
  }

  start(): Promise<void> {
    const { host, port } = this.#options.address
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void =>
        reject(explainListenError(error, `${host}:${port}`))
      this.#server.once('error', fail)
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', fail)
        // A connection that could not be accepted, for want of descriptors perhaps: the others go on.
        this.#server.on('error', (error) => this.#log.error({ err: error }, 'a connection was lost'))
        resolve()
      })
    })
  }

  /** Stops accepting, lets what runs finish, and cuts what is still there at the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    this.#http.drain()
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeIdleConnections()
    // Node takes a connection that never sent a byte for one whose request is on its way.
    for (const socket of this.#sockets.keys()) if (socket.bytesRead === 0) socket.destroy()
    const cut = setTimeout(() => this.#server.closeAllConnections(), deadlineMs)
    await Promise.all([this.#ws.drain(deadlineMs), closed])
    clearTimeout(cut)
  }

  #accept(socket: Socket, connections: ConnectionBudget): void {
    if (this.#sockets.has(socket) || !connections.admit(socket, 'http')) return
    this.#sockets.set(socket, undefined)
    // While Node's parser has given a socket up for an upgrade, an error would have no other listener and end the process.
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (this.#sockets.has(request.socket)) this.#sockets.set(request.socket, response)
    if (this.#roles.has('http')) return this.#http.handle(request, response)
    const message = 'this address serves WebSocket only'
    this.#http.refuse(request, response, {
      status: 426,
      reason: 'path',
      message,
      headers: { Upgrade: 'websocket' },
    })
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const before = this.#sockets.get(socket)
    if (before !== undefined && !before.closed) {
      this.#afterAnswer(before, socket, () => this.#upgrade(request, socket, head))
    } else if (isWebSocketUpgrade(request)) {
      this.#ws.upgrade(request, socket, head)
    } else {
      socket.unshift(withoutUpgrade(request, head))
      this.#server.emit('connection', socket)
    }
  }

  /** Pipelined requests: the answer before comes first. Node watches the socket no longer, so its end is seen to here. */
  #afterAnswer(response: ServerResponse, socket: Socket, proceed: () => void): void {
    const abandon = (): void => void response.destroy()
    socket.once('close', abandon)
    response.once('close', () => {
      socket.off('close', abandon)
      if (socket.writable) proceed()
      else socket.destroy()
    })
  }
}
