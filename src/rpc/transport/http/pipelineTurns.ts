import type { Socket } from 'node:net'
import { TurnShare } from '../../../base/threads/turnShare.ts'

/** How many requests of one connection are run in a turn of the event loop. */
const maxInTurn = 64

/** How many more may wait for their turn. One read of a socket holds some 600 small requests. */
export const maxWaiting = 1_024

interface Line {
  readonly share: TurnShare
  readonly waiting: (() => void)[]
  isWaiting: boolean
}

/**
 * Gives each connection its share of the event loop. One read may bring thousands of pipelined requests that node:http hands over at
 * once; those beyond the share wait for the next turns, and other connections have theirs in between.
 */
export class PipelineTurns {
  readonly #lines = new WeakMap<Socket, Line>()
  readonly #fail: (socket: Socket, error: unknown) => void

  /** @param fail takes what a request throws that has waited for its turn; the others are run all the same */
  constructor(fail: (socket: Socket, error: unknown) => void) {
    this.#fail = fail
  }

  /** Runs a request now or when its turn comes, in order. Returns false, and does nothing, if too many of its connection wait. */
  run(socket: Socket, request: () => void): boolean {
    const line = this.#lineOf(socket)
    if (line.isWaiting) return line.waiting.length < maxWaiting && line.waiting.push(request) > 0
    if (line.share.countLast()) this.#wait(socket, line)
    request()
    return true
  }

  #lineOf(socket: Socket): Line {
    let line = this.#lines.get(socket)
    if (line === undefined) {
      line = { share: new TurnShare(maxInTurn), waiting: [], isWaiting: false }
      this.#lines.set(socket, line)
    }
    return line
  }

  #wait(socket: Socket, line: Line): void {
    line.isWaiting = true
    setImmediate(() => {
      const requests = line.waiting.splice(0, maxInTurn)
      if (line.waiting.length > 0) this.#wait(socket, line)
      else line.isWaiting = false
      for (const request of requests) {
        try {
          request()
        } catch (error) {
          this.#fail(socket, error)
        }
      }
    })
  }
}
