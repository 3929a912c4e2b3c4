import type { MessagePort, Worker } from 'node:worker_threads'

/**
 * Typed calls between threads. One side serves an object of functions, the other calls them by name and gets promises;
 * arguments and results are cloned, so that they are plain data. An error is sent with its name, message and own members.
 */

/** Functions whose arguments and results are plain data. */
export type ThreadService = Readonly<Record<string, (...args: never[]) => unknown>>

/** The same functions as the other thread calls them. */
export type ThreadClient<Service extends ThreadService> = {
  readonly [Name in keyof Service]: (
    ...args: Parameters<Service[Name]>
  ) => Promise<Awaited<ReturnType<Service[Name]>>>
}

interface CallMessage {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}

type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } & object }

const transfers = new WeakMap<object, readonly ArrayBuffer[]>()

/**
 * Marks memory of an argument or a result that the other thread takes over without a copy; nobody may use it here any more.
 */
export const withTransfer = <Value extends object>(
  value: Value,
  buffers: readonly ArrayBufferLike[],
): Value => {
  transfers.set(
    value,
    buffers.filter((buffer) => buffer instanceof ArrayBuffer),
  )
  return value
}

const transfersOf = (value: unknown): readonly ArrayBuffer[] =>
  (typeof value === 'object' && value !== null ? transfers.get(value) : undefined) ?? []

/** Serves the calls of the other thread. */
export const serveThread = (port: MessagePort, service: ThreadService): void => {
  port.on('message', async ({ id, name, args }: CallMessage) => {
    try {
      const serve = service[name]
      if (serve === undefined) throw new Error(`no function ${name} is served to other threads`)
      const result = await serve(...(args as never[]))
      port.postMessage({ id, result } satisfies ReplyMessage, transfersOf(result))
    } catch (error) {
      port.postMessage({ id, error: toErrorMessage(error) } satisfies ReplyMessage)
    }
  })
}

const toErrorMessage = (error: unknown) => {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  return { ...(error as object), name, message }
}

/** An error that was thrown in another thread. */
export class ThreadError extends Error {
  /** The name of the class that was thrown there. */
  readonly thrownName: string
  /** Members beyond name and message. */
  readonly details: Readonly<Record<string, unknown>>

  constructor({ name, message, ...details }: { readonly name: string; readonly message: string }) {
    super(message)
    this.name = 'ThreadError'
    this.thrownName = name
    this.details = details
  }
}

/** Creates the client of functions that are served on this thread. Their errors are those of another thread. */
export const createLocalClient = <Service extends ThreadService>(
  service: Promise<Service>,
): ThreadClient<Service> =>
  new Proxy({} as ThreadClient<Service>, {
    get:
      (_, name: string) =>
      async (...args: readonly never[]) => {
        try {
          return await ((await service)[name] as (...args: readonly never[]) => unknown)(...args)
        } catch (error) {
          throw new ThreadError(toErrorMessage(error))
        }
      },
  })

/** Creates the client of the functions that a worker serves. When the worker ends, every open call is rejected. */
export const createThreadClient = <Service extends ThreadService>(worker: Worker): ThreadClient<Service> => {
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let lastId = 0
  let ended: Error | undefined
  const endAll = (error: Error): void => {
    ended ??= error
    for (const { reject } of open.values()) reject(ended)
    open.clear()
  }
  worker.on('message', (reply: ReplyMessage) => {
    const call = open.get(reply.id)
    open.delete(reply.id)
    if ('error' in reply) call?.reject(new ThreadError(reply.error))
    else call?.resolve(reply.result as never)
  })
  worker.on('error', endAll)
  worker.on('exit', (code) => endAll(new Error(`the thread ended with code ${code}`)))
  return new Proxy({} as ThreadClient<Service>, {
    get:
      (_, name: string) =>
      (...args: readonly unknown[]) =>
        new Promise((resolve, reject) => {
          if (ended !== undefined) return reject(ended)
          const id = ++lastId
          open.set(id, { resolve, reject })
          worker.postMessage({ id, name, args } satisfies CallMessage, args.flatMap(transfersOf))
        }),
  })
}
