import { createConnection, type Socket } from 'node:net'
import { HttpPoster } from '../base/http/httpPoster.ts'
import { showUrl } from '../base/logging/redaction.ts'
import { type Outcome, readAnswer, someIdOf } from './batchAnswer.ts'
import { FollowError } from './followError.ts'

export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The outcomes of a batch in the order of its calls, and how many bytes they took. */
export interface BatchOutcome {
  readonly outcomes: readonly Outcome[]
  readonly bytes: number
}

/** Asks a node. A node that cannot be reached, or that ends in the middle, is a plain Error. */
export interface NodeClient {
  batch(calls: readonly Call[]): Promise<BatchOutcome>
  close(): void
}

/** Far above what nodes send for a batch (25 MB unless set otherwise). */
const maxResponseBytes = 512 * 2 ** 20
const timeoutMs = 120_000
/** The most that is set aside for a line that has not come yet. */
const maxSpareBytes = 16 * 2 ** 20

const lineFeed = 0x0a

/** Returns whether a target is meant as a URL and not as the path of a socket. */
const isUrl = (target: string): boolean => target.includes('://') || /^(?:https?|wss?):/i.test(target)

/** Returns the address of a node as it is shown; a URL may hold keys. */
export const showTarget = (target: string): string => {
  if (!isUrl(target)) return target
  return URL.canParse(target) ? showUrl(target) : 'the URL'
}

/** Returns a client of a URL, or of the socket of a node on this computer. */
export const openNodeClient = (target: string): NodeClient => {
  if (/^https?:\/\//i.test(target) && URL.canParse(target)) return new HttpClient(target)
  if (isUrl(target))
    throw new FollowError(
      `${showTarget(target)} is not the address of a node: give http(s)://… or the path of an IPC socket`,
    )
  return new IpcClient(target)
}

/** Encodes a batch whose ids go up from `first`. */
const encodeBatch = (calls: readonly Call[], first = 0): string =>
  JSON.stringify(calls.map((call, index) => ({ jsonrpc: '2.0', id: first + index, ...call })))

class HttpClient implements NodeClient {
  readonly #poster: HttpPoster

  constructor(url: string) {
    this.#poster = new HttpPoster(url, { maxSockets: 8, idleTimeoutMs: timeoutMs, maxResponseBytes })
  }

  async batch(calls: readonly Call[]): Promise<BatchOutcome> {
    const { status, body } = await this.#poster.post(encodeBatch(calls))
    if (status !== 200) throw new Error(`the node answers ${status}: ${body.toString().slice(0, 300).trim()}`)
    return { outcomes: readAnswer(body, calls.length, 0), bytes: body.length }
  }

  close(): void {
    this.#poster.close()
  }
}

interface Waiting {
  readonly count: number
  readonly resolve: (outcome: BatchOutcome) => void
  readonly reject: (error: Error) => void
}

/** One connection, on which the node answers batches in any order; each response is a line. */
class IpcClient implements NodeClient {
  readonly #path: string
  #connection: IpcConnection | undefined

  constructor(path: string) {
    this.#path = path
  }

  batch(calls: readonly Call[]): Promise<BatchOutcome> {
    if (this.#connection === undefined || this.#connection.isClosed)
      this.#connection = new IpcConnection(this.#path)
    return this.#connection.batch(calls)
  }

  close(): void {
    this.#connection?.close(new Error('closed'))
  }
}

/** What is read from a socket at once; it is read into the same memory each time. */
const readBytes = 262_144

class IpcConnection {
  readonly #socket: Socket
  /** By the id of the first call, since ids go up over the life of the connection. */
  readonly #waiting = new Map<number, Waiting>()
  /** The line that is being received. The next one begins with as much room, since batches are of one size. */
  #line = Buffer.allocUnsafeSlow(readBytes)
  #length = 0
  #nextId = 0
  isClosed = false

  constructor(path: string) {
    const onread = {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback: (length: number, buffer: Uint8Array) => {
        this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, length))
        return true
      },
    }
    this.#socket = createConnection({ path, onread })
    this.#socket.setTimeout(timeoutMs, () => {
      if (this.#waiting.size > 0) this.close(new Error(`no response within ${timeoutMs / 1000} s`))
    })
    this.#socket.on('error', (error) => this.close(error))
    this.#socket.on('close', () => this.close(new Error('the node closed the connection')))
  }

  batch(calls: readonly Call[]): Promise<BatchOutcome> {
    const first = this.#nextId
    this.#nextId += calls.length
    return new Promise((resolve, reject) => {
      this.#waiting.set(first, { count: calls.length, resolve, reject })
      this.#socket.write(encodeBatch(calls, first))
    })
  }

  /** Takes what was read, which must not be kept. */
  #take(part: Buffer): void {
    let start = 0
    for (let end = part.indexOf(lineFeed); end >= 0; end = part.indexOf(lineFeed, start)) {
      this.#add(part, start, end)
      const line = this.#line.subarray(0, this.#length)
      // As much as the last line had, which the next one may have too; a very long one is an exception.
      this.#line = Buffer.allocUnsafeSlow(Math.min(this.#line.length, maxSpareBytes))
      this.#length = 0
      start = end + 1
      this.#receive(line)
    }
    this.#add(part, start, part.length)
    if (this.#length > maxResponseBytes) this.close(new Error('the node sends too much'))
  }

  #add(part: Buffer, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > this.#line.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#line.length))
      this.#line.copy(larger, 0, 0, this.#length)
      this.#line = larger
    }
    part.copy(this.#line, this.#length, start, end)
    this.#length = length
  }

  #receive(line: Buffer): void {
    try {
      const id = someIdOf(line)
      const [first, waiting] =
        [...this.#waiting].find(([from, { count }]) => id >= from && id < from + count) ?? []
      if (first === undefined || waiting === undefined)
        throw new Error('the node returned something else than what was requested')
      this.#waiting.delete(first)
      waiting.resolve({ outcomes: readAnswer(line, waiting.count, first), bytes: line.length })
    } catch (error) {
      this.close(error as Error) // Nothing else is thrown above.
    }
  }

  close(error: Error): void {
    this.isClosed = true
    this.#socket.destroy()
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
