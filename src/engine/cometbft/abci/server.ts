import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { emptyBytes } from '../../../base/encoding/bytes.ts'
import type { SocketAddress } from '../../../base/encoding/socketAddress.ts'
import { formatSocketAddress } from '../../../base/encoding/socketAddress.ts'
import { badConfig, explainListenError } from '../../../base/exit.ts'
import type { Logger } from '../../../base/logging/log.ts'
import { CallQueue } from './callQueue.ts'
import { FrameReader } from './frames.ts'
import {
  type AbciCall,
  type AbciHandler,
  type AbciRequest,
  type AbciResult,
  decodeRequest,
  encodeCheckTxResponse,
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

/** How long the messages of one connection are taken in one turn of the event loop, in milliseconds. */
export const maxTurnMs = 4

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
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket))
  }

  /** Whether a call is being answered that the engine's consensus waits for. */
  get isExecuting(): boolean {
    return this.#executing > 0
  }

  /** Starts to listen and returns the address, with the actual port if port 0 was requested. */
  async listen(address: SocketAddress): Promise<SocketAddress> {
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
    let messages: Iterator<Uint8Array, void> = reader.push(emptyBytes)
    let isFull = false
    let hasUntaken = false
    let hasEnded = false
    let isScheduled = false
    const queue = new CallQueue({
      write: (bytes) => socket.write(bytes),
      pause: () => {
        isFull = true
      },
      resume: () => {
        isFull = false
        readLater()
      },
      end: () => socket.end(),
    })
    let hasShakenHands = false
    const onInfo = (): void => {
      if (!hasShakenHands) this.#options.onHandshake?.()
      hasShakenHands = true
    }
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => this.#sockets.delete(socket))
    // It comes while the socket is paused too, and then the last piece still has messages.
    socket.on('end', () => {
      hasEnded = true
      if (!hasUntaken) queue.finish()
    })
    socket.on('error', (error) => log.warn({ err: error }, 'ABCI connection failed'))
    // A piece may hold thousands of messages. A turn takes a few of them, so that the rest of the process does not wait.
    const readOn = (): void => {
      if (socket.destroyed || !hasUntaken) return
      const until = performance.now() + maxTurnMs
      try {
        // While the engine does not read its responses, its messages are not read either.
        while (!isFull && !socket.writableNeedDrain && performance.now() < until) {
          const { value: message } = messages.next()
          if (message === undefined) {
            hasUntaken = false
            return void (hasEnded ? queue.finish() : socket.resume())
          }
          this.#take(message, queue, onInfo)
        }
        socket.pause()
        if (!isFull && !socket.writableNeedDrain) readLater()
      } catch (error) {
        log.error({ err: error }, 'invalid ABCI message')
        socket.destroy()
      }
    }
    // At most one turn is scheduled, even if the engine reads responses and calls end before it begins.
    const readLater = (): void => {
      if (isScheduled) return
      isScheduled = true
      setImmediate(() => {
        isScheduled = false
        readOn()
      })
    }
    socket.on('drain', readLater)
    socket.on('data', (piece: Buffer) => {
      messages = reader.push(piece)
      hasUntaken = true
      readOn()
    })
  }

  /**
   * Begins a call. CheckTx calls and queries run concurrently; every other call waits until the previous ones are done.
   */
  #take(message: Uint8Array, queue: CallQueue, onInfo: () => void): void {
    const { request, response } = this.#read(message)
    const before = request === undefined || isConcurrent(request.case) ? undefined : queue.whenEnded()
    const end = queue.add()
    if (request === undefined) end(response)
    else if (request.case === 'checkTx') this.#check(request.value, message, end)
    else void this.#respond(request, message, before, onInfo).then(end)
  }

  /** Returns the call of a message, or the response to one that the application has no part in. */
  #read(message: Uint8Array): Read {
    const { log } = this.#options
    try {
      if (isOverfullProposal(message)) {
        log.warn({ bytes: message.length }, 'proposal rejected: it has too many entries')
        const status = proposalStatus.rejected
        return { response: encodeResponse({ case: 'processProposal', value: { status } }) }
      }
      const request = decodeRequest(message)
      if (request === undefined) return { response: unknownCall }
      if (request.case === 'echo')
        return { response: encodeResponse({ case: 'echo', value: { message: request.value.message } }) }
      if (request.case === 'flush') return { response: flushed }
      return { request }
    } catch (error) {
      return { response: this.#fail(undefined, message, error) }
    }
  }

  /** Checks a transaction, in the same turn if it is known. */
  #check(request: AbciRequest<'checkTx'>, message: Uint8Array, end: (response: Uint8Array) => void): void {
    const { handler, onCall } = this.#options
    const startedAt = performance.now()
    const finish = (response: Uint8Array): void => {
      onCall?.('checkTx', performance.now() - startedAt)
      end(response)
    }
    const toBytes = (result: AbciResult<'checkTx'>): Uint8Array =>
      result instanceof Uint8Array ? result : encodeCheckTxResponse(result)
    const fail = (error: unknown): Uint8Array => this.#fail('checkTx', message, error)
    try {
      const result = handler.checkTx(request)
      if (result instanceof Promise) void result.then(toBytes).catch(fail).then(finish)
      else finish(toBytes(result))
    } catch (error) {
      finish(fail(error))
    }
  }

  async #respond(
    request: HandledRequest,
    message: Uint8Array,
    before: Promise<void> | undefined,
    onInfo: () => void,
  ): Promise<Uint8Array> {
    try {
      await before
      if (request.case === 'info') onInfo()
      return await this.#handle(request)
    } catch (error) {
      return this.#fail(request.case, message, error)
    }
  }

  #fail(call: AbciCall | undefined, message: Uint8Array, error: unknown): Uint8Array {
    this.#options.log.error({ err: error, call }, 'ABCI call failed')
    return encodeFailure(message, error instanceof Error ? error.message : String(error))
  }

  async #handle({ case: call, value }: HandledRequest): Promise<Uint8Array> {
    const { handler, onCall } = this.#options
    // The cast is sound because request and function have the same name.
    const handle = handler[call] as (
      request: AbciRequest<typeof call>,
    ) => AbciResult<typeof call> | Promise<AbciResult<typeof call>>
    const startedAt = performance.now()
    const isConsensus = !isConcurrent(call)
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

type HandledRequest = Exclude<NonNullable<ReturnType<typeof decodeRequest>>, { case: 'echo' | 'flush' }>

type Read =
  | { readonly request: HandledRequest; readonly response?: undefined }
  | { readonly response: Uint8Array; readonly request?: undefined }

const isConcurrent = (call: AbciCall): boolean => call === 'checkTx' || call === 'query'

const unknownCall = encodeException('this call is not part of ABCI 2.0')
const flushed = encodeResponse({ case: 'flush', value: {} })

const hostText = (address: SocketAddress): string => formatSocketAddress(address).replace(/^[a-z]+:\/\//, '')

/** Removes the socket of a process that was killed. The home lock ensures that no other process uses it. */
const removeOldSocket = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isSocket())
    throw badConfig(`${path} is there and is not a socket: choose another address`)
  await rm(path, { force: true })
}
