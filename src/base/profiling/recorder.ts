import { withAnySignal } from '../abort.ts'
import { sleep } from '../async/sleep.ts'
import { ProfilingError } from './profilingError.ts'

/** Ends a recording and returns the files that were written. */
type StopRecording = () => Promise<readonly string[]>

/** The longest recording, which ends after this time if it is not stopped. */
const maxRecordingMs = 3_600_000

interface Running {
  /** Undefined until the recording has started. */
  end: StopRecording | undefined
  timer: NodeJS.Timeout | undefined
}

/** Runs one recording at a time. The error messages are those of geth. */
export class Recorder {
  readonly #name: string
  readonly #startRecording: (file: string) => Promise<StopRecording>
  readonly #closing = new AbortController()
  #running: Running | undefined
  /** The measurement that a caller waits for; undefined if there is none. */
  #measuring: Promise<unknown> | undefined

  constructor(name: string, startRecording: (file: string) => Promise<StopRecording>) {
    this.#name = name
    this.#startRecording = startRecording
  }

  async start(file: string): Promise<void> {
    if (this.#running !== undefined) throw new ProfilingError(`${this.#name} already in progress`)
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
    if (end === undefined) throw new ProfilingError(`${this.#name} not in progress`)
    this.#running = undefined
    clearTimeout(timer)
    return end()
  }

  /** Records for `ms` milliseconds. If the signal aborts first, what was recorded until then is written. */
  async measure(file: string, ms: number, signal: AbortSignal): Promise<readonly string[]> {
    await this.start(file)
    const files = withAnySignal([signal, this.#closing.signal], (ended) => sleep(ms, ended)).then(() =>
      this.stop(),
    )
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

  /** Stops a running recording. Errors are ignored, because there is no caller to report them to. */
  async #end(): Promise<void> {
    if (this.#running?.end !== undefined) await this.stop().catch(() => {})
  }
}
