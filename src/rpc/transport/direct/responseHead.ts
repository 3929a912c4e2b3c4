import { type AnswerHeights, heightHeader } from '../http/answerHeights.ts'

/** The heads of responses with status 200 and JSON on a connection that stays open, as node:http writes them. */
export class ResponseHeads {
  readonly #keepAlive: string
  #second = 0
  #afterLength = ''

  readonly #heights: AnswerHeights | undefined

  constructor(keepAliveMs: number, heights: AnswerHeights | undefined) {
    this.#heights = heights
    const timeout = keepAliveMs === 0 ? '' : `Keep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`
    this.#keepAlive = `Connection: keep-alive\r\n${timeout}\r\n`
  }

  /** Returns the head for a body of so many bytes. */
  of(bytes: number): string {
    const height = this.#heights === undefined ? '' : `\r\n${heightHeader}: ${this.#heights.current()}`
    return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${bytes}${height}${this.#rest()}`
  }

  /** Returns what follows the length, which changes every second. */
  #rest(): string {
    const now = Date.now()
    if (now - this.#second >= 1000 || now < this.#second) {
      this.#second = now - (now % 1000)
      this.#afterLength = `\r\nDate: ${new Date(now).toUTCString()}\r\n${this.#keepAlive}`
    }
    return this.#afterLength
  }
}
