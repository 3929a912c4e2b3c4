import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import type { AbciAddress } from '../../../base/abciAddress.ts'
import { addressText } from '../../../base/abciAddress.ts'
import { badConfig, explainListenError } from '../../../base/exit.ts'
import type { Logger } from '../../../base/log.ts'
import { FrameReader, frame } from './frames.ts'
import {
  type AbciAnswer,
  type AbciCall,
  type AbciHandler,
  type AbciRequest,
  decodeRequest,
  encodeException,
  encodeResponse,
} from './messages.ts'

export interface AbciServerOptions {
  readonly handler: AbciHandler
  readonly log: Logger
  /** How long each call took, in milliseconds. */
  readonly onCall?: (call: AbciCall, milliseconds: number) => void
}

/** Calls that are under way on one connection before no more are read from it. */
const maxOpenCalls = 4096

/** Serves an application to the engine, which opens four connections: each is answered in the order of its calls. */
export class AbciServer {
  readonly #options: AbciServerOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(options: AbciServerOptions) {
    this.#options = options
    this.#server = createServer((socket) => this.#serve(socket))
  }

  /** Gives the address, with the port that was free where it was asked for port 0. */
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
    // A connection that could not be accepted, for want of descriptors perhaps: the others go on.
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
    /** The answer before the next one. */
    let last: Promise<unknown> = Promise.resolve()
    let open = 0
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', (error) => log.warn({ err: error }, 'a connection of the engine broke'))
    socket.on('data', (piece: Buffer) => {
      try {
        for (const message of reader.push(piece)) {
          const before = last
          const answer = this.#answer(message, before)
          if (++open >= maxOpenCalls) socket.pause()
          last = Promise.all([before, answer]).then(([, bytes]) => {
            socket.write(frame(bytes))
            if (--open < maxOpenCalls) socket.resume()
          })
        }
      } catch (error) {
        log.error({ err: error }, 'a message of the engine cannot be read')
        socket.destroy()
      }
    })
  }

  /**
   * Checks of transactions run beside each other, and so do queries, which change nothing; everything else waits until
   * what came before it is done.
   */
  async #answer(message: Uint8Array, before: Promise<unknown>): Promise<Uint8Array> {
    const { log } = this.#options
    let call: AbciCall | undefined
    try {
      const request = decodeRequest(message)
      if (request === undefined) return encodeException('this call is not part of ABCI 2.0')
      call = request.case
      if (request.case === 'echo')
        return encodeResponse({ case: 'echo', value: { message: request.value.message } })
      if (request.case === 'flush') return encodeResponse({ case: 'flush', value: {} })
      if (request.case !== 'checkTx' && request.case !== 'query') await before
      return await this.#handle(request)
    } catch (error) {
      log.error({ err: error, call }, 'a call of the engine failed')
      return encodeException(error instanceof Error ? error.message : String(error))
    }
  }

  async #handle({ case: call, value }: HandledRequest): Promise<Uint8Array> {
    const { handler, onCall } = this.#options
    // Sound: the request and the function have the same name.
    const handle = handler[call] as (
      request: AbciRequest<typeof call>,
    ) => AbciAnswer<typeof call> | Promise<AbciAnswer<typeof call>>
    const startedAt = performance.now()
    try {
      const answer = await handle(value)
      if (answer instanceof Uint8Array) return answer
      return encodeResponse({ case: call, value: answer } as Parameters<typeof encodeResponse>[0])
    } finally {
      onCall?.(call, performance.now() - startedAt)
    }
  }
}

const hostText = (address: AbciAddress): string => addressText(address).replace(/^[a-z]+:\/\//, '')

/** Removes what a process left that was killed; the home's lock says that no other one serves it. */
const removeOldSocket = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isSocket())
    throw badConfig(`${path} is there and is not a socket: choose another address`)
  await rm(path, { force: true })
}

type HandledRequest = Exclude<NonNullable<ReturnType<typeof decodeRequest>>, { case: 'echo' | 'flush' }>
