import { Session } from 'node:inspector'
import { ProfilingError } from './profilingError.ts'

/** A thread with the runtime's inspector in it (the Chrome DevTools protocol). */
export interface InspectedThread {
  /** `main`, or the name of the worker with its number, such as `call-3`. */
  readonly name: string
  post<T = unknown>(method: string, params?: object): Promise<T>
}

/** The protocol's description of a worker. */
interface WorkerInfo {
  /** Node's number and the name that the worker was started with, such as `[worker 3] call`. */
  readonly title: string
}

interface Reply {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** How long to wait for a reply. A thread that is in native code does not reply. */
const responseTimeoutMs = 10_000

/**
 * Inspects all threads of this process, including those that start while it is open. Each inspector has separate
 * agents in the threads.
 */
export class ThreadInspector {
  readonly #session = new Session()
  readonly #main: InspectedThread
  readonly #workers = new Map<string, InspectedWorker>()
  readonly #onThread: (thread: InspectedThread) => Promise<void>
  #isOpen = false

  private constructor(onThread: (thread: InspectedThread) => Promise<void>) {
    this.#onThread = onThread
    this.#main = { name: 'main', post: (method, params) => this.#post(method, params) }
  }

  /**
   * Opens an inspector. `onThread` is called once for each thread; for the existing threads it has ended when this
   * resolves.
   */
  static async open(
    onThread: (thread: InspectedThread) => Promise<void> = async () => {},
  ): Promise<ThreadInspector> {
    const inspector = new ThreadInspector(onThread)
    await inspector.#connect()
    return inspector
  }

  get threads(): readonly InspectedThread[] {
    return [this.#main, ...this.#workers.values()]
  }

  /** Runs a query in every thread, the main one first. A worker that has ended or does not reply has no entry. */
  async queryAll<T>(query: (thread: InspectedThread) => Promise<T>): Promise<[thread: string, result: T][]> {
    const queries = this.threads.map(
      async (thread): Promise<[string, T]> => [thread.name, await query(thread)],
    )
    const [main, ...workers] = await Promise.allSettled(queries)
    if (main?.status === 'rejected') throw main.reason
    return [main, ...workers].flatMap((outcome) => (outcome?.status === 'fulfilled' ? [outcome.value] : []))
  }

  close(): void {
    this.#isOpen = false
    for (const worker of this.#workers.values()) worker.end()
    this.#workers.clear()
    this.#session.disconnect()
  }

  async #connect(): Promise<void> {
    this.#session.connect()
    this.#session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      const worker = new InspectedWorker(nameOf(workerInfo), (message) =>
        this.#post('NodeWorker.sendMessageToWorker', { sessionId, message }),
      )
      this.#workers.set(sessionId, worker)
      // Errors are ignored, because the worker may end at any time.
      if (this.#isOpen) this.#onThread(worker).catch(() => {})
    })
    this.#session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) =>
      this.#workers.get(sessionId)?.receive(message),
    )
    this.#session.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => {
      this.#workers.get(sessionId)?.end()
      this.#workers.delete(sessionId)
    })
    await this.#post('NodeWorker.enable', { waitForDebuggerOnStart: false })
    this.#isOpen = true
    await this.queryAll(this.#onThread)
  }

  #post<T>(method: string, params: object = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#session.post(method, params, (error, result) => {
        if (error === null) resolve(result as T)
        else reject(new ProfilingError(`${method}: ${error.message}`))
      })
    })
  }
}

class InspectedWorker implements InspectedThread {
  readonly name: string
  readonly #send: (message: string) => Promise<unknown>
  readonly #open = new Map<number, (reply: Reply) => void>()
  #lastId = 0

  constructor(name: string, send: (message: string) => Promise<unknown>) {
    this.name = name
    this.#send = send
  }

  post<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const settle = ({ result, error }: Reply): void => {
        clearTimeout(timer)
        this.#open.delete(id)
        if (error === undefined) resolve(result as T)
        else reject(new ProfilingError(`${method} in ${this.name}: ${error.message}`))
      }
      const timer = setTimeout(() => settle({ error: { message: 'no response' } }), responseTimeoutMs)
      timer.unref()
      this.#open.set(id, settle)
      this.#send(JSON.stringify({ id, method, params })).catch((error: Error) => settle({ error }))
    })
  }

  receive(message: string): void {
    const reply = JSON.parse(message) as Reply
    if (reply.id !== undefined) this.#open.get(reply.id)?.(reply)
  }

  end(): void {
    for (const settle of [...this.#open.values()]) settle({ error: { message: 'the thread ended' } })
  }
}

const nameOf = ({ title }: WorkerInfo): string => {
  const [, id = '0', name = ''] = /^\[worker (\d+)\] ?(.*)$/.exec(title) ?? []
  return `${name.replaceAll(/[^A-Za-z0-9]+/g, '-') || 'worker'}-${id}`
}
