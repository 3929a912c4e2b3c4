import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import type { AbciAddress } from '../../../base/encoding/abciAddress.ts'
import { formatAbciAddress } from '../../../base/encoding/abciAddress.ts'
import { badConfig, explainListenError } from '../../../base/exit.ts'
import type { Logger } from '../../../base/log.ts'
import { encodeAbciFrame, FrameReader } from './frames.ts'
import {
  type AbciCall,
  type AbciHandler,
  type AbciRequest,
  type AbciResult,
  decodeRequest,
  encodeException,
  encodeFailure,
  encodeResponse,
  isOverfullProposal,
  proposalStatus,
} from './messages.ts'

export interface AbciServerOptions {
  readonly handler: AbciHandler
  readonly log: Logger
  /** Called after each call with its duration in milliseconds. */
  readonly onCall?: (call: AbciCall, milliseconds: number) => void
  /**
   * Called when an engine has started: it asks for the state of the application once, first of all. Later such calls of
   * the same connection are those of its RPC (`abci_info`).
   */
  readonly onHandshake?: () => void
}

/** The maximum number of open calls of one connection; then reading pauses. */
const maxOpenCalls = 4096

/**
 * Serves an application to the engine, which opens four connections. The calls of each connection are answered in
 * order.
 */
export class AbciServer {
  readonly #options: AbciServerOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #executing = 0

  constructor(options: AbciServerOptions) {
    this.#options = options
    this.#server = createServer((socket) => this.#serve(socket))
  }

  /** Whether a call is being answered that the engine's consensus waits for. */
  get isExecuting(): boolean {
    return this.#executing > 0
  }

  /** Starts to listen and returns the address, with the actual port if port 0 was requested. */
  async listen(address: AbciAddress): Promise<AbciAddress> {
    if (address.kind === 'unix') {
      await removeOldSocket(address.path)
      this.#server.listen(address.path)
    } else this.#server.listen(address.port, address.host)
    try {
      await once(this.#server, 'listening')
    } catch (error) {
      throw explainListenError(error as NodeJS.ErrnoException, hostText(address)) // what `listen` fails with
    }
    // A connection could not be accepted, perhaps for lack of file descriptors; the others continue.
    this.#server.on('error', (error) => this.#options.log.error({ err: error }, 'a connection was lost'))
    const bound = this.#server.address()
    return address.kind === 'tcp' && bound !== null && typeof bound === 'object'
      ? { ...address, port: bound.port }
      : address
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #serve(socket: Socket): void {
    const { log } = this.#options
    const reader = new FrameReader()
    /** The previous response on this connection. */
    let last: Promise<unknown> = Promise.resolve()
    let open = 0
    let hasShakenHands = false
    const onInfo = (): void => {
      if (!hasShakenHands) this.#options.onHandshake?.()
      hasShakenHands = true
    }
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', (error) => log.warn({ err: error }, 'ABCI connection failed'))
    socket.on('data', (piece: Buffer) => {
      try {
        for (const message of reader.push(piece)) {
          const before = last
          const response = this.#respond(message, before, onInfo)
          if (++open >= maxOpenCalls) socket.pause()
          last = Promise.all([before, response]).then(([, bytes]) => {
            socket.write(encodeAbciFrame(bytes))
            if (--open < maxOpenCalls) socket.resume()
          })
        }
      } catch (error) {
        log.error({ err: error }, 'invalid ABCI message')
        socket.destroy()
      }
    })
  }

  /**
   * Runs a call. CheckTx calls and queries run concurrently; every other call waits until the previous ones are done.
   */
  async #respond(message: Uint8Array, before: Promise<unknown>, onInfo: () => void): Promise<Uint8Array> {
    const { log } = this.#options
    let call: AbciCall | undefined
    try {
      if (isOverfullProposal(message)) {
        log.warn({ bytes: message.length }, 'proposal rejected: it has too many entries')
        return encodeResponse({ case: 'processProposal', value: { status: proposalStatus.rejected } })
      }
      const request = decodeRequest(message)
      if (request === undefined) return encodeException('this call is not part of ABCI 2.0')
      call = request.case
      if (request.case === 'echo')
        return encodeResponse({ case: 'echo', value: { message: request.value.message } })
      if (request.case === 'flush') return encodeResponse({ case: 'flush', value: {} })
      if (request.case !== 'checkTx' && request.case !== 'query') await before
      if (request.case === 'info') onInfo()
      return await this.#handle(request)
    } catch (error) {
      log.error({ err: error, call }, 'ABCI call failed')
      return encodeFailure(message, error instanceof Error ? error.message : String(error))
    }
  }

  async #handle({ case: call, value }: HandledRequest): Promise<Uint8Array> {
    const { handler, onCall } = this.#options
    // The cast is sound because request and function have the same name.
    const handle = handler[call] as (
      request: AbciRequest<typeof call>,
    ) => AbciResult<typeof call> | Promise<AbciResult<typeof call>>
    const startedAt = performance.now()
    const isConsensus = call !== 'checkTx' && call !== 'query'
    if (isConsensus) this.#executing++
    try {
      const response = await handle(value)
      if (response instanceof Uint8Array) return response
      return encodeResponse({ case: call, value: response } as Parameters<typeof encodeResponse>[0])
    } finally {
      if (isConsensus) this.#executing--
      onCall?.(call, performance.now() - startedAt)
    }
  }
}

const hostText = (address: AbciAddress): string => formatAbciAddress(address).replace(/^[a-z]+:\/\//, '')

/** Removes the socket of a process that was killed. The home lock ensures that no other process uses it. */
const removeOldSocket = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isSocket())
    throw badConfig(`${path} is there and is not a socket: choose another address`)
  await rm(path, { force: true })
}

type HandledRequest = Exclude<NonNullable<ReturnType<typeof decodeRequest>>, { case: 'echo' | 'flush' }>
