import { chmodSync, mkdirSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { badConfig, homeInUse } from '../../base/exit.ts'
import { isTooLongForSocket, maxSocketPathBytes } from '../../base/files/socketPath.ts'
import { clearSocketPath } from '../../base/files/staleSocket.ts'
import type { Framing } from '../../base/notification.ts'
import type { JsonRpcSettings } from '../../config/settings/settings.ts'
import type { Caller } from '../access/access.ts'
import { PiecedResponse } from '../dispatch/batchResponse.ts'
import type { Message } from '../dispatch/requestHandler.ts'
import type { SendBacklog } from './backlog.ts'
import type { ConnectionLimiter } from './connectionLimiter.ts'
import { IncomingBytes } from './incomingBytes.ts'
import { JsonSplitter } from './jsonSplitter.ts'
import { RpcConnection, type RpcConnectionDependencies } from './rpcConnection.ts'
import { SocketConnection } from './socketConnection.ts'

export interface IpcOptions extends Pick<JsonRpcSettings, 'maxBodySize' | 'httpTimeout' | 'wsMaxBacklog'> {
  readonly path: string
}

export interface IpcDependencies extends RpcConnectionDependencies {
  /** Shared by all sockets of a server. */
  readonly backlog: SendBacklog
  readonly connections: ConnectionLimiter
}

const isWindows = process.platform === 'win32'

/**
 * A client that can open the socket is the operator, because the modes of its folder and file keep others out. A named
 * pipe of Windows has no such protection, so that private methods are not available over IPC there.
 */
const ipcCaller: Caller = {
  transport: 'ipc',
  address: '',
  isLocal: true,
  authorizedUntil: isWindows ? 0 : Number.POSITIVE_INFINITY,
}

/** Frames each message as one line. */
const lineFraming: Framing = { open: () => emptyBytes, close: Buffer.from('\n') }

/** Serves JSON-RPC on a Unix socket (a named pipe on Windows). */
export class IpcListener {
  readonly #options: IpcOptions
  readonly #dependencies: IpcDependencies
  readonly #server: Server
  readonly #clients = new Map<Socket, RpcConnection>()

  constructor(options: IpcOptions, dependencies: IpcDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#server = createServer((socket) => this.#onConnection(socket))
  }

  async start(): Promise<void> {
    const { path } = this.#options
    if (isTooLongForSocket(path)) {
      const why = `the IPC path has ${Buffer.byteLength(path)} bytes, ${maxSocketPathBytes} at most: set a shorter one with --ipc-path`
      throw badConfig(`${why} (${path})`)
    }
    if (!isWindows) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      await removeStaleSocket(path)
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      // The file gets its mode from the umask, so that there is no moment in which others could open it.
      const before = process.umask(0o177)
      this.#server.listen(path, () => {
        this.#server.off('error', reject)
        resolve()
      })
      process.umask(before)
    })
    if (!isWindows) chmodSync(path, 0o600)
  }

  /** Lets running calls finish; connections that are still open at the deadline are destroyed. */
  async stop(deadlineMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    const deadline = setTimeout(() => {
      for (const socket of this.#clients.keys()) socket.destroy()
    }, deadlineMs)
    await Promise.all(
      [...this.#clients].map(async ([socket, rpcConnection]) => {
        await rpcConnection.finish()
        socket.end()
        socket.destroySoon()
      }),
    )
    await closed
    clearTimeout(deadline)
  }

  #onConnection(socket: Socket): void {
    if (!this.#dependencies.connections.admit(socket, 'ipc')) return
    const transport = {
      send: (response: Message) => {
        if (response instanceof PiecedResponse) return connection.writePieces(response)
        socket.write(response)
        const hasCapacity = socket.write('\n', connection.onWritten)
        connection.countWrite()
        return hasCapacity
      },
      pause: () => socket.pause(),
      resume: () => socket.resume(),
    }
    const { httpTimeout, maxBodySize, wsMaxBacklog } = this.#options
    const { backlog, budget, metrics } = this.#dependencies
    const connection = new SocketConnection({
      socket,
      framing: lineFraming,
      maxBacklog: wsMaxBacklog,
      backlog,
      isOpen: () => socket.writable,
      // IPC has no close message, so that the client is not told the reason.
      end: (reason) => {
        if (reason !== 'failed') metrics.rejected('backlog')
        socket.destroy()
      },
    })
    const rpcConnection = new RpcConnection(
      { caller: ipcCaller, timeoutMs: httpTimeout, transport, client: connection },
      this.#dependencies,
    )
    this.#clients.set(socket, rpcConnection)
    const splitter = new JsonSplitter(maxBodySize, (message) => {
      rpcConnection.receiveBytes(message)
    })
    const incoming = new IncomingBytes(budget)
    socket.on('data', (chunk: Buffer) => {
      if (!splitter.write(chunk)) socket.destroy()
      else if (!incoming.set(splitter.size)) {
        metrics.rejected('memory')
        socket.destroy()
      }
    })
    socket.on('drain', () => rpcConnection.onDrain())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#clients.delete(socket)
      incoming.set(0)
      rpcConnection.close()
      connection.close()
      connection.updateBacklog()
    })
  }
}

/** Removes the socket file of a process that was killed; throws if a running process serves on it. */
const removeStaleSocket = async (path: string): Promise<void> => {
  const place = await clearSocketPath(path)
  if (place === 'not a socket')
    throw badConfig(`${path} is there and is not a socket: set another --ipc-path`)
  if (place === 'served') throw homeInUse(`another process serves on ${path}`)
}
