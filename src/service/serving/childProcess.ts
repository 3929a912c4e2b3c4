import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../base/logging/log.ts'
import { workerUrl } from '../../base/threads/builtFiles.ts'
import type { ControlReply, ControlRequest } from './messages.ts'
import { FrameChannel, frameKinds } from './pipe/frames.ts'
import { ServedCalls, type ServedCallsDependencies } from './pipe/servedCalls.ts'
import { encodeEvent } from './pipe/wire.ts'

export interface ChildProcessDependencies extends Pick<ServedCallsDependencies, 'calls' | 'pages' | 'keys'> {
  readonly log: Logger
  /** Called once when it has ended. */
  readonly onExit: () => void
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** The most of events and notifications that may wait for a process to read. A process that reads no more is ended. */
const maxUnreadEventBytes = 128 * 2 ** 20

const syncEvent = encodeEvent({ kind: 'sync' })

const levels = ['debug', 'info', 'warn', 'error', 'fatal'] as const

/** A serving process, as the main process sees it. */
export class ServingChild {
  readonly #child: ChildProcess
  readonly #channel: FrameChannel
  readonly #served: ServedCalls
  readonly #dependencies: ChildProcessDependencies
  readonly #waiting = new Map<number, Waiting>()
  readonly #syncs = new Map<number, () => void>()
  readonly #exited: Promise<void>
  #lastRequest = 0

  /** Throws if there can be no process now. */
  constructor(dependencies: ChildProcessDependencies) {
    this.#dependencies = dependencies
    const { NODE_UNIQUE_ID: _, ...env } = process.env
    this.#child = fork(fileURLToPath(workerUrl('serving')), [], {
      // Flags of the main process (a profiler, a port for a debugger) are not for others.
      execArgv: [],
      env,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
    })
    this.#child.on('error', (error) => dependencies.log.error({ err: error }, 'a serving process failed'))
    if (this.#child.pid === undefined) {
      discard(this.#child)
      throw new Error('a serving process could not be spawned')
    }
    this.#channel = new FrameChannel(this.#child.stdio[4] as Socket, (kind, id, payload) => {
      if (kind === frameKinds.eventSeen) this.#syncs.get(id)?.()
      else this.#served.receive(kind, id, payload)
    })
    this.#served = new ServedCalls({ ...dependencies, channel: this.#channel })
    this.#child.on('message', (reply: ControlReply) => this.#receive(reply))
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', () => {
        this.#end()
        resolve()
      })
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Asks the process to do something; rejects if it cannot, or ends. */
  request(request: ControlRequest, handle?: object): Promise<unknown> {
    const id = ++this.#lastRequest
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(goneError())
      this.#waiting.set(id, { resolve, reject })
      // Node takes handles of its own that its types do not name.
      this.#child.send({ id, request }, handle as Socket | undefined, (error) => {
        if (error !== null) this.#settle(id)?.reject(error)
      })
    })
  }

  /** Tells the process of an event, given as `encodeEvent` returns it. */
  tell(event: Uint8Array, id = 0): void {
    // Results are as long as clients want them, and bounded by the memory of requests.
    if (this.#channel.backlog - this.#served.unreadBytes > maxUnreadEventBytes) this.kill()
    else this.#channel.send(frameKinds.event, id, [event])
  }

  /** Resolves when the process has done all that was sent to it. A process that has not in time, or never can, is ended. */
  async sync(timeoutMs: number): Promise<void> {
    const id = ++this.#lastRequest
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#syncs.set(id, resolve)
      timer = setTimeout(() => {
        this.#dependencies.log.error({ pid: this.pid }, 'a serving process does not answer and is ended')
        this.kill()
      }, timeoutMs)
      timer.unref()
      this.tell(syncEvent, id)
      void this.#exited.then(resolve)
    })
    clearTimeout(timer)
    this.#syncs.delete(id)
  }

  /** Lets the process finish what it does, and ends it at the deadline at the latest. */
  async stop(deadlineMs: number): Promise<void> {
    const deadline = setTimeout(() => this.kill(), deadlineMs)
    await this.request({ kind: 'stop' }).catch(() => {})
    if (this.#child.connected) this.#child.disconnect()
    this.#channel.close()
    await this.#exited
    clearTimeout(deadline)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #receive(reply: ControlReply): void {
    if ('line' in reply) return this.#log(reply.line)
    const waiting = this.#settle(reply.id)
    if ('error' in reply) waiting?.reject(new Error(reply.error))
    else waiting?.resolve(reply.result)
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #log(line: string): void {
    const { level, time: _, part, msg, ...members } = JSON.parse(line) as Record<string, unknown> // of our own logger
    const known = levels.find((name) => name === level) ?? 'info'
    this.#dependencies.log[known]({ ...members, of: part, pid: this.pid }, String(msg))
  }

  #end(): void {
    this.#channel.close()
    this.#served.close()
    for (const { reject } of this.#waiting.values()) reject(goneError())
    this.#waiting.clear()
    this.#dependencies.onExit()
  }
}

/** Frees what was opened for a process that was never there: the end of such a one is not told. */
const discard = (child: ChildProcess): void => {
  // There are no pipes if the limit of open files is why.
  const pipes = child.stdio as readonly (Socket | null)[] | undefined
  for (const pipe of pipes ?? []) pipe?.destroy()
  if (child.connected) child.disconnect()
}

const goneError = (): Error => new Error('the serving process has ended')
