import { encodeAbciFrame } from './frames.ts'

interface Call {
  /** The response until it is about to be written; undefined while the call is open. */
  response: Uint8Array | undefined
  /** Called when this call and those before it have ended. */
  onEnd: (() => void) | undefined
}

/** The maximum number of open calls of one connection; then reading pauses. */
const maxOpenCalls = 4_096

interface Connection {
  write(bytes: Uint8Array): unknown
  pause(): unknown
  resume(): unknown
  end(): unknown
}

/**
 * The calls of one connection. They may end in any order and are answered in theirs; what ends in one turn of the event
 * loop is written at once, because an engine checks thousands of transactions in a row.
 */
export class CallQueue {
  readonly #connection: Connection
  /** Those that were begun; the first one that is open, or whose turn has not come, is at `#next`. */
  #calls: Call[] = []
  #next = 0
  #ready: Uint8Array[] = []
  #isFlushing = false
  #isPaused = false
  #isFinishing = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Adds a call that has begun, and returns the function that ends it. */
  add(): (response: Uint8Array) => void {
    const call: Call = { response: undefined, onEnd: undefined }
    this.#calls.push(call)
    if (this.#open >= maxOpenCalls && !this.#isPaused) {
      this.#isPaused = true
      this.#connection.pause()
    }
    return (response) => {
      call.response = response
      this.#drain()
    }
  }

  /** Resolves when all calls that were added so far have ended; undefined if none is open. */
  whenEnded(): Promise<void> | undefined {
    const last = this.#open === 0 ? undefined : this.#calls.at(-1)
    if (last === undefined) return undefined
    return new Promise((resolve) => {
      last.onEnd = resolve
    })
  }

  /** The peer sends no more: the connection ends when all calls are answered. */
  finish(): void {
    this.#isFinishing = true
    this.#endIfDone()
  }

  #endIfDone(): void {
    if (this.#isFinishing && this.#open === 0 && !this.#isFlushing) this.#connection.end()
  }

  get #open(): number {
    return this.#calls.length - this.#next
  }

  #drain(): void {
    for (;;) {
      const call = this.#calls[this.#next]
      if (call?.response === undefined) break
      this.#next++
      this.#ready.push(encodeAbciFrame(call.response))
      // The call itself may stay in the list for thousands of others.
      call.response = undefined
      call.onEnd?.()
    }
    if (this.#open === 0 || this.#next >= maxOpenCalls) {
      this.#calls = this.#calls.slice(this.#next)
      this.#next = 0
    }
    if (this.#ready.length > 0 && !this.#isFlushing) {
      this.#isFlushing = true
      setImmediate(() => this.#flush())
    }
  }

  #flush(): void {
    const frames = this.#ready
    this.#ready = []
    this.#isFlushing = false
    this.#connection.write(frames.length === 1 ? (frames[0] as Uint8Array) : Buffer.concat(frames))
    if (this.#isPaused && this.#open < maxOpenCalls) {
      this.#isPaused = false
      this.#connection.resume()
    }
    this.#endIfDone()
  }
}
