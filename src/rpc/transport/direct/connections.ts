import type { Socket } from 'node:net'
import type { InternalErrors } from '../../dispatch/internalErrors.ts'
import type { MemoryBudget } from '../../memoryBudget.ts'
import type { AnswerHeights } from '../http/answerHeights.ts'
import type { UnreadResponses } from '../http/unreadResponses.ts'
import { Arrivals } from './arrivals.ts'
import { DirectConnection, type DirectHost } from './connection.ts'
import type { DirectExchange } from './exchange.ts'
import { ResponseHeads } from './responseHead.ts'

export interface DirectOptions {
  readonly keepAliveMs: number
  /** How long a new connection may send nothing. */
  readonly headersMs: number
  /** How long a connection may make no progress while somebody waits. */
  readonly timeoutMs: number
}

export interface DirectDependencies {
  readonly budget: MemoryBudget
  readonly unreadResponses: UnreadResponses
  readonly internalErrors: InternalErrors
  /** The heights of answers; undefined if they are not told. */
  readonly heights?: AnswerHeights | undefined
  /** Returns whether requests are served here at all. */
  readonly isServing: () => boolean
  readonly serve: (exchange: DirectExchange) => void
  /** Lets node:http read a connection. */
  readonly toNode: (socket: Socket) => void
}

/** The interval at which connections are checked. */
const tickMs = 100

/**
 * How long a request may take to be whole before node:http goes on with it, whose limits of time hold from then on. The
 * head and the body of a request may come apart, but not by much.
 */
const ticksToBeWhole = 2

/** The number of checks after which idle connections are checked too. */
const ticksToIdleCheck = 5

/** What node:http tells a connection that sends nothing. */
const nothingCame = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/** The connections of a listener that are read directly. */
export class DirectConnections implements DirectHost {
  readonly heads: ResponseHeads
  readonly keepAliveMs: number
  readonly timeoutMs: number
  readonly arrivals = new Arrivals()
  readonly #headersMs: number
  readonly #dependencies: DirectDependencies
  readonly #open = new Set<DirectConnection>()
  #timer: NodeJS.Timeout | undefined
  #isDraining = false
  tick = 0

  constructor({ keepAliveMs, headersMs, timeoutMs }: DirectOptions, dependencies: DirectDependencies) {
    this.heads = new ResponseHeads(keepAliveMs, dependencies.heights)
    this.keepAliveMs = keepAliveMs
    this.timeoutMs = timeoutMs
    this.#headersMs = headersMs
    this.#dependencies = dependencies
  }

  get budget(): MemoryBudget {
    return this.#dependencies.budget
  }

  get unreadResponses(): UnreadResponses {
    return this.#dependencies.unreadResponses
  }

  get isServing(): boolean {
    return this.#dependencies.isServing()
  }

  accept(socket: Socket): void {
    this.arrivals.note()
    this.#open.add(new DirectConnection(socket, this))
    this.#timer ??= setInterval(() => this.#check(), tickMs).unref()
  }

  serve(exchange: DirectExchange): void {
    try {
      this.#dependencies.serve(exchange)
    } catch (error) {
      this.#dependencies.internalErrors.record('transport', error)
      exchange.socket.destroy()
    }
  }

  handOver(connection: DirectConnection): void {
    this.forget(connection)
    this.#dependencies.toNode(connection.socket)
  }

  forget(connection: DirectConnection): void {
    this.#open.delete(connection)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /**
   * Closes the connections on which nothing is under way, and others as soon as their clients have read their answers; a
   * request that has begun is left to node:http.
   */
  drain(): void {
    this.#isDraining = true
    for (const connection of this.#open) {
      if (connection.isIdle) connection.socket.destroy()
      else if (connection.ticksHeld !== undefined) connection.leave()
    }
  }

  destroy(): void {
    for (const { socket } of this.#open) socket.destroy()
  }

  #check(): void {
    const checksIdle = ++this.tick % ticksToIdleCheck === 0
    for (const connection of this.#open) {
      if (this.#isDraining && connection.isIdle) connection.socket.destroy()
      else if ((connection.ticksHeld ?? 0) >= ticksToBeWhole) connection.leave()
      else if (checksIdle && connection.isIdle) this.#checkIdle(connection)
    }
  }

  #checkIdle({ socket, ticksIdle, hasBegun }: DirectConnection): void {
    // One less, because the first may have come at once.
    const idleMs = (ticksIdle - 1) * tickMs
    if (hasBegun && this.keepAliveMs > 0 && idleMs >= this.keepAliveMs) socket.destroy()
    if (hasBegun || this.#headersMs === 0 || idleMs < this.#headersMs) return
    socket.write(nothingCame)
    socket.destroy()
  }
}
