import type { Socket } from 'node:net'
import { TimeSlice } from '../../../base/threads/timeSlice.ts'
import { TurnShare } from '../../../base/threads/turnShare.ts'
import type { MemoryBudget } from '../../memoryBudget.ts'
import type { UnreadResponses } from '../http/unreadResponses.ts'
import { type Answer, AnswerWriter } from './answerWriter.ts'
import type { Arrivals } from './arrivals.ts'
import { DirectExchange, type ExchangeConnection } from './exchange.ts'
import { HeadReader } from './headReader.ts'
import type { ResponseHeads } from './responseHead.ts'

/** What the connections of a listener share. */
export interface DirectHost {
  readonly heads: ResponseHeads
  readonly keepAliveMs: number
  /** How long a connection may make no progress while somebody waits. */
  readonly timeoutMs: number
  readonly budget: MemoryBudget
  readonly unreadResponses: UnreadResponses
  /** The connections that arrive, for which requests wait. */
  readonly arrivals: Arrivals
  /** Whether requests are served here at all. */
  readonly isServing: boolean
  /** The number of checks so far: a tick counter, cheap to read. */
  readonly tick: number
  serve(exchange: DirectExchange): void
  /** Takes a connection away, with nobody listening to its socket any more. */
  handOver(connection: DirectConnection): void
  forget(connection: DirectConnection): void
}

/** The most that is kept of a request that has come in part; longer ones are not read here. */
const maxHeldBytes = 65_536

/** The bytes of answers after which the next requests of a connection wait until others have had their turn. */
const maxTurnBytes = 65_536

/** The same for the number of requests. */
const maxServedInTurn = 64

/** The number of requests of one connection that run at a time; the next ones wait unread. */
const maxRunning = 64

/**
 * A connection whose requests are read directly from the socket. Those that are whole are served in order; the responses
 * that are there at once are written together. What is not an ordinary request, and all that follows it, is left to
 * node:http with the connection.
 */
export class DirectConnection implements ExchangeConnection {
  readonly socket: Socket
  readonly #host: DirectHost
  readonly #reader = new HeadReader()
  readonly #writer: AnswerWriter
  /** The requests whose responses are not written, in order. */
  readonly #running: DirectExchange[] = []
  /** What has come and was not read yet. */
  #held: Buffer | undefined
  #heldSince = 0
  #isReading = false
  /** Whether others have their turn before more is read. */
  #isYielding = false
  readonly #served = new TurnShare(maxServedInTurn)
  /** Whether the connection is handed over as soon as nothing runs. */
  #isLeaving = false
  #isHandedOver = false
  /** Whether the client sends no more. */
  #hasEnded = false
  #isPaused = false
  #isTimed = false
  /** Whether anything has come. */
  hasBegun = false
  /** The check before which the connection was last used. */
  #usedAt: number

  constructor(socket: Socket, host: DirectHost) {
    this.socket = socket
    this.#host = host
    this.#writer = new AnswerWriter(socket, host.heads, host.unreadResponses)
    this.#usedAt = host.tick
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('drain', this.#onDrain)
    socket.on('close', this.#onClose)
  }

  get keepAliveMs(): number {
    return this.#host.keepAliveMs
  }

  /** Whether the client waits for nothing and has begun nothing. */
  get isIdle(): boolean {
    const isWaiting = this.#isReading || this.#running.length > 0 || this.socket.writableLength > 0
    return !isWaiting && this.#held === undefined
  }

  /** The number of checks since the connection was last used. */
  get ticksIdle(): number {
    return this.#host.tick - this.#usedAt
  }

  /** The number of checks since the first byte came of a request that is not whole; undefined if there is none. */
  get ticksHeld(): number | undefined {
    return this.#held === undefined || this.#isYielding ? undefined : this.#host.tick - this.#heldSince
  }

  /** Hands the connection over, after the responses to what runs. */
  leave(): void {
    this.#isLeaving = true
    if (this.#running.length > 0 || this.#isHandedOver || this.socket.destroyed) return
    if (this.#hasEnded) return this.#finish()
    const rest = this.#takeHeld()
    const { socket } = this
    // Paused, so that what is put back is not read before there is somebody to read it.
    socket.pause()
    if (rest !== undefined) socket.unshift(rest)
    this.#detach()
    this.#host.handOver(this)
    socket.resume()
  }

  answer(exchange: DirectExchange, answer: Answer): void {
    const [first] = this.#running
    if (first !== undefined && first !== exchange) {
      exchange.waiting = answer
      return
    }
    exchange.isDone = true
    this.#writer.append(answer)
    if (first !== undefined) this.#running.shift()
    if (!this.#isReading) this.#proceed()
  }

  onNodeResponse(exchange: DirectExchange): void {
    if (this.#running[0] === exchange) this.#writeReady()
  }

  onNodeFinished(exchange: DirectExchange, isLast: boolean): void {
    exchange.isDone = true
    this.#running.shift()
    if (isLast) this.socket.destroySoon()
    else this.#proceed()
  }

  readonly #onData = (chunk: Buffer): void => {
    this.hasBegun = true
    this.#usedAt = this.#host.tick
    // A request that comes byte by byte is as old as its first one.
    const since = this.#held === undefined ? this.#host.tick : this.#heldSince
    const held = this.#takeHeld()
    const bytes = held === undefined ? chunk : Buffer.concat([held, chunk])
    if (this.#isLeaving || this.#isYielding) this.#hold(bytes, since)
    else if (this.#host.arrivals.isOpen) this.#waitForArrivals(bytes, since)
    else this.#read(bytes, since)
    this.#throttle()
  }

  /** Serves the requests that are whole, and keeps the rest. The first one began to come at the check `since`. */
  #read(bytes: Buffer, since: number): void {
    const reader = this.#reader
    let at = 0
    let isOther = false
    this.#isReading = true
    while (at < bytes.length && this.#running.length < maxRunning && !this.socket.destroyed) {
      // A call before may have ended it.
      const head = this.#host.isServing ? reader.read(bytes, at) : 'other'
      isOther = head === 'other'
      if (head === 'other' || head === 'partial') break
      const end = reader.bodyFrom + reader.bodyLength
      if (end > bytes.length) {
        isOther = end - at > maxHeldBytes
        break
      }
      const exchange = new DirectExchange(this, head, bytes, reader.bodyFrom, reader.bodyLength)
      this.#serve(exchange)
      at = end
      // Who sends much at once lets others in between.
      const isTurnOver = this.#served.countLast() || this.#writer.bytes > maxTurnBytes
      if (isTurnOver && at < bytes.length) {
        this.#yield()
        break
      }
      // What it does without waiting for anything else comes before the next request, as with node:http.
      if (!exchange.isDone && at < bytes.length) {
        setImmediate(this.#readHeld)
        break
      }
    }
    this.#isReading = false
    this.#writeReady()
    if (this.socket.destroyed) return
    if (at === 0) this.#hold(bytes, since)
    else if (at < bytes.length) this.#hold(Buffer.from(bytes.subarray(at)), this.#host.tick)
    if (isOther) this.leave()
  }

  /** Reads nothing more until the event loop and the others that wait have had their turn. */
  #yield(): void {
    this.#isYielding = true
    void TimeSlice.turn().then(this.#resume)
  }

  #waitForArrivals(bytes: Buffer, since: number): void {
    this.#hold(bytes, since)
    // A connection that is handed over does not come back.
    if (this.#isLeaving) return
    this.#isYielding = true
    this.#host.arrivals.wait(this.#resume)
  }

  readonly #resume = (): void => {
    this.#isYielding = false
    this.#readHeld()
  }

  #serve(exchange: DirectExchange): void {
    this.#host.serve(exchange)
    if (exchange.isDone) return
    this.#running.push(exchange)
    this.#startClock()
  }

  /** Goes on after a response: with the next ones, and with what has come meanwhile. */
  #proceed(): void {
    this.#usedAt = this.#host.tick
    this.#writeReady()
    if (this.#isLeaving) {
      if (this.#running.length === 0) return this.leave()
    } else if (!this.#isReading) {
      this.#readHeld()
    }
    this.#throttle()
  }

  readonly #readHeld = (): void => {
    // A client that does not read its responses waits until it has.
    const mustWait = this.#isLeaving || this.#isYielding || this.socket.writableNeedDrain
    const held = mustWait ? undefined : this.#takeHeld()
    if (held !== undefined) this.#read(held, this.#heldSince)
    this.#throttle()
    this.#finishIfEnded()
  }

  /** Writes the responses that are there up to the first one that is not. */
  #writeReady(): void {
    for (let first = this.#running[0]; first !== undefined; first = this.#running[0]) {
      if (first.waiting === undefined) break
      this.#writer.append(first.waiting)
      first.isDone = true
      this.#running.shift()
    }
    this.#flush()
    this.#running[0]?.assign()
  }

  #flush(): void {
    if (!this.#writer.flush()) this.#startClock()
  }

  /** Keeps what has come of a request. Where there is no memory for it node:http rejects it. */
  #hold(bytes: Buffer, since: number): void {
    const { budget } = this.#host
    this.#heldSince = since
    this.#held = bytes
    if (!budget.hasRoom(bytes.length, 0)) this.#isLeaving = true
    budget.count(bytes.length)
    if (this.#isLeaving && this.#running.length === 0) this.leave()
  }

  #takeHeld(): Buffer | undefined {
    const held = this.#held
    if (held !== undefined) this.#host.budget.give(held.length)
    this.#held = undefined
    return held
  }

  /** Stops reading while the client does not read or has enough under way. */
  #throttle(): void {
    if (this.#isHandedOver) return
    const mustPause =
      (this.#isYielding && this.#held !== undefined) ||
      this.socket.writableNeedDrain ||
      this.#running.length >= maxRunning ||
      (this.#isLeaving && (this.#held?.length ?? 0) > maxHeldBytes)
    if (mustPause === this.#isPaused) return
    this.#isPaused = mustPause
    if (mustPause) this.socket.pause()
    else this.socket.resume()
  }

  /** Ends the connection if it makes no progress while somebody waits. From the first time on the socket's own clock runs. */
  #startClock(): void {
    if (this.#isTimed) return
    this.#isTimed = true
    this.socket.setTimeout(this.#host.timeoutMs)
    this.socket.on('timeout', this.#onTimeout)
  }

  readonly #onTimeout = (): void => {
    if (!this.isIdle) this.socket.destroy()
  }

  readonly #onDrain = (): void => {
    this.#running[0]?.onDrain()
    if (this.#isReading) this.#throttle()
    else this.#readHeld()
  }

  /** The client sends no more, but reads: it gets the responses to what has come, for as long as the listener waits for them. */
  readonly #onEnd = (): void => {
    this.#hasEnded = true
    this.#finishIfEnded()
  }

  #finishIfEnded(): void {
    const isBusy = this.#running.length > 0 || this.#isYielding
    if (this.#hasEnded && !isBusy && !this.#isHandedOver) this.#finish()
  }

  /** Ends a connection on which nothing more comes and nothing runs. What the client has begun is left to node:http. */
  #finish(): void {
    const held = this.#takeHeld()
    if (held === undefined) return void this.socket.end()
    this.#detach()
    this.#host.handOver(this)
    // A stream that has ended takes nothing back.
    this.socket.emit('data', held)
    this.socket.emit('end')
  }

  readonly #onClose = (): void => {
    this.#takeHeld()
    this.#writer.release()
    for (const exchange of this.#running.splice(0)) exchange.leave()
    this.#host.forget(this)
  }

  #detach(): void {
    const { socket } = this
    this.#isHandedOver = true
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('drain', this.#onDrain)
    socket.off('close', this.#onClose)
    socket.off('timeout', this.#onTimeout)
  }
}
