import { isUtf8 } from 'node:buffer'
import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { emptyBytes } from '../../base/bytes.ts'
import { badConfig, homeInUse } from '../../base/exit.ts'
import type { Framing } from '../../base/notification.ts'
import { isTooLongForSocket, maxSocketPathBytes } from '../../base/socketPath.ts'
import type { JsonRpcSettings } from '../../config/settings.ts'
import type { Caller } from '../access/access.ts'
import type { SendBacklog } from './backlog.ts'
import type { ConnectionLimiter } from './connectionLimiter.ts'
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
 * Whoever can open the socket is the operator: its folder and its file let nobody else in. A named pipe of Windows
 * has no such guard, so there private methods are not for IPC.
 */
const ipcCaller: Caller = {
  transport: 'ipc',
  address: '',
  isLocal: true,
  authorizedUntil: isWindows ? 0 : Number.POSITIVE_INFINITY,
}

/** A message is a line. */
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
      // The file is made with the mode of the moment; no time is left in which others could open it.
      const before = process.umask(0o177)
      this.#server.listen(path, () => {
        this.#server.off('error', reject)
        resolve()
      })
      process.umask(before)
    })
    if (!isWindows) chmodSync(path, 0o600)
  }

  /** Lets what runs finish; connections that are still there at the deadline are cut. */
  async stop(deadlineMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    const cut = setTimeout(() => {
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
    clearTimeout(cut)
  }

  #onConnection(socket: Socket): void {
    if (!this.#dependencies.connections.admit(socket, 'ipc')) return
    const transport = {
      send: (answer: string | Buffer) => {
        socket.write(answer)
        const isTaken = socket.write('\n', connection.updateBacklog)
        connection.updateBacklog()
        return isTaken
      },
      pause: () => socket.pause(),
      resume: () => socket.resume(),
    }
    const { httpTimeout, maxBodySize, wsMaxBacklog } = this.#options
    const { backlog, metrics } = this.#dependencies
    const connection = new SocketConnection({
      socket,
      framing: lineFraming,
      maxBacklog: wsMaxBacklog,
      backlog,
      isOpen: () => socket.writable,
      // There is no way to say why.
      end: (ending) => {
        if (ending !== 'failed') metrics.rejected('backlog')
        socket.destroy()
      },
    })
    const conversation = new RpcConnection(
      { caller: ipcCaller, timeoutMs: httpTimeout, transport, client: connection },
      this.#dependencies,
    )
    this.#clients.set(socket, conversation)
    const stream = new JsonSplitter(maxBodySize, (message) => {
      conversation.receive(isUtf8(message) ? message.toString() : '')
    })
    socket.on('data', (chunk: Buffer) => {
      if (!stream.write(chunk)) socket.destroy()
    })
    socket.on('drain', () => conversation.onDrain())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#clients.delete(socket)
      conversation.close()
      connection.close()
      connection.updateBacklog()
    })
  }
}

/** A socket file outlives a process that was killed. It goes when nobody answers on it. */
const removeStaleSocket = async (path: string): Promise<void> => {
  if (!existsSync(path)) return
  if (!statSync(path).isSocket()) {
    throw badConfig(`${path} is there and is not a socket: set another --ipc-path`)
  }
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
  if (isAlive) throw homeInUse(`another process serves on ${path}`)
  rmSync(path)
}
