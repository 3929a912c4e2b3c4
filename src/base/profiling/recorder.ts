import { setTimeout as sleep } from 'node:timers/promises'
import { ProfilingError } from './profilingError.ts'

/** Ends a recording; gives the files that were written. */
type StopRecording = () => Promise<readonly string[]>

/** A recording that was forgotten ends by itself. */
const maxRecordingMs = 3_600_000

interface Running {
  /** Undefined until it has begun. */
  end: StopRecording | undefined
  timer: NodeJS.Timeout | undefined
}

/** One recording at a time, with the words that geth has for it. */
export class Recorder {
  readonly #what: string
  readonly #startRecording: (file: string) => Promise<StopRecording>
  readonly #closing = new AbortController()
  #running: Running | undefined
  /** What a caller waits for, if any. */
  #measuring: Promise<unknown> | undefined

  constructor(what: string, startRecording: (file: string) => Promise<StopRecording>) {
    this.#what = what
    this.#startRecording = startRecording
  }

  async start(file: string): Promise<void> {
    if (this.#running !== undefined) throw new ProfilingError(`${this.#what} already in progress`)
    const running: Running = { end: undefined, timer: undefined }
    this.#running = running
    try {
      running.end = await this.#startRecording(file)
    } catch (error) {
      this.#running = undefined
      throw error
    }
    running.timer = setTimeout(() => void this.#end(), maxRecordingMs)
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
    const files = abortableSleep(ms, AbortSignal.any([signal, this.#closing.signal])).then(() => this.stop())
    this.#measuring = files
    try {
      return await files
    } finally {
      if (this.#measuring === files) this.#measuring = undefined
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#measuring?.catch(() => {})
    await this.#end()
  }

  /** Writes what runs; nobody is there to hear of an error. */
  async #end(): Promise<void> {
    if (this.#running?.end !== undefined) await this.stop().catch(() => {})
  }
}

/** Resolves after a time, or when the signal comes. */
export const abortableSleep = async (ms: number, signal: AbortSignal): Promise<void> => {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
