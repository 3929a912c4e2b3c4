import { Session } from 'node:inspector'
import { ProfilingError } from './profilingError.ts'

/** A thread, and the runtime's own inspector in it (the Chrome DevTools protocol). */
export interface InspectedThread {
  /** `main`, or what the thread was started as with its number: `call-3`. */
  readonly name: string
  post<T = unknown>(method: string, params?: object): Promise<T>
}

/** What the protocol calls one worker. */
interface WorkerInfo {
  /** `[worker 3] call`: Node's number, and the name it was started with. */
  readonly title: string
}

interface Reply {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** A thread that waits in native code answers nothing; nobody is to wait for it without end. */
const responseTimeoutMs = 10_000

/** All threads of this process, those too that start while it is open. Each of them has agents of its own for each inspector. */
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

  /** `onThread` is called once for each thread; what it does to the threads there are is done when this resolves. */
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

  /** Asks every thread, the main one first; a worker that is gone or silent has no entry. */
  async queryAll<T>(
    question: (thread: InspectedThread) => Promise<T>,
  ): Promise<[thread: string, answer: T][]> {
    const asked = this.threads.map(
      async (thread): Promise<[string, T]> => [thread.name, await question(thread)],
    )
    const [main, ...workers] = await Promise.allSettled(asked)
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
      // It may end at any time, and is then nobody's concern.
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
      const timer = setTimeout(() => settle({ error: { message: 'no answer' } }), responseTimeoutMs)
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
