import { once } from 'node:events'
import { type NodeTracing, Session } from 'node:inspector'
import type { ProfileFile } from './profileFolder.ts'
import { ProfilingError } from './profilingError.ts'

/** The recorded categories. The hooks of promises are left out, because they would be most of the events. */
const categories = [
  'v8',
  'node.perf',
  'node.fs.sync',
  'node.fs.async',
  'node.http',
  'node.net.native',
  'node.dns.native',
  'node.threadpoolwork.async',
  'node.threadpoolwork.sync',
  'node.vm.script',
  'node.promises.rejections',
]

/** The size above which further events are dropped, so that a recording that is not stopped does not fill the disk. */
const maxBytes = 512 * 2 ** 20

/** Records trace events of the runtime in all threads to a file that DevTools and Perfetto open. */
export class TraceRecording {
  readonly #session = new Session()
  readonly #file: ProfileFile
  #isFirst = true

  private constructor(file: ProfileFile) {
    this.#file = file
  }

  static async start(file: ProfileFile): Promise<TraceRecording> {
    const recording = new TraceRecording(file)
    await recording.#connect()
    return recording
  }

  async stop(): Promise<void> {
    const complete = once(this.#session, 'NodeTracing.tracingComplete')
    await this.#post('NodeTracing.stop')
    await complete
    this.#session.disconnect()
    await this.#file.append('\n]}\n')
    await this.#file.finish()
  }

  async #connect(): Promise<void> {
    this.#session.connect()
    this.#session.on('NodeTracing.dataCollected', ({ params }) => this.#append(params.value))
    try {
      await this.#post('NodeTracing.start', {
        traceConfig: { includedCategories: categories },
      } satisfies NodeTracing.StartParameterType)
    } catch (error) {
      this.#session.disconnect()
      await this.#file.discard()
      throw error
    }
    void this.#file.append('{"traceEvents":[\n')
  }

  #append(events: readonly unknown[]): void {
    if (events.length === 0 || this.#file.bytes > maxBytes) return
    const text = events.map((event) => JSON.stringify(event)).join(',\n')
    void this.#file.append(this.#isFirst ? text : `,\n${text}`)
    this.#isFirst = false
  }

  #post(method: string, params: object = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#session.post(method, params, (error) => {
        if (error === null) resolve()
        else reject(new ProfilingError(`${method}: ${error.message}`))
      })
    })
  }
}
