import { setTimeout as sleep } from 'node:timers/promises'
import { ProfilingError } from './profilingError.ts'

/** Ends a recording; gives the files that were written. */
type End = () => Promise<readonly string[]>

/** A recording that was forgotten ends by itself. */
const longestMs = 3_600_000

interface Running {
  /** Undefined until it has begun. */
  end: End | undefined
  timer: NodeJS.Timeout | undefined
}

/** One recording at a time, with the words that geth has for it. */
export class Recordings {
  readonly #what: string
  readonly #begin: (file: string) => Promise<End>
  readonly #closing = new AbortController()
  #running: Running | undefined

  constructor(what: string, begin: (file: string) => Promise<End>) {
    this.#what = what
    this.#begin = begin
  }

  async start(file: string): Promise<void> {
    if (this.#running !== undefined) throw new ProfilingError(`${this.#what} already in progress`)
    const running: Running = { end: undefined, timer: undefined }
    this.#running = running
    try {
      running.end = await this.#begin(file)
    } catch (error) {
      this.#running = undefined
      throw error
    }
    running.timer = setTimeout(() => void this.#end(), longestMs)
    running.timer.unref()
  }

  async stop(): Promise<readonly string[]> {
    const { end, timer } = this.#running ?? {}
    if (end === undefined) throw new ProfilingError(`${this.#what} not in progress`)
    this.#running = undefined
    clearTimeout(timer)
    return end()
  }

  /** For a time; when the signal comes first, what was recorded until then is written. */
  async measure(file: string, ms: number, signal: AbortSignal): Promise<readonly string[]> {
    await this.start(file)
    await pause(ms, AbortSignal.any([signal, this.#closing.signal]))
    return this.stop()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#end()
  }

  /** Writes what runs; nobody is there to hear of an error. */
  async #end(): Promise<void> {
    if (this.#running?.end !== undefined) await this.stop().catch(() => {})
  }
}

/** Resolves after a time, or when the signal comes. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
