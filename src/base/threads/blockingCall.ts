import type { MessagePort, Worker } from 'node:worker_threads'

/**
 * A call from a worker to the thread that started it, for which the worker waits without returning to its event loop: for
 * values that synchronous code needs. The response is only that it is done, or why it failed; what it brought is found
 * elsewhere. A worker that is terminated while it waits ends at once.
 */

/** The end of a call: done, or an error with its name, message and own members as JSON. */
const states = { waiting: 0, done: 1, failed: 2 } as const

/** state ‖ length of the error, and then the error. */
const headerWords = 2
const maxErrorBytes = 4096

interface BlockingMessage {
  readonly blockingCall: string
  readonly argument: unknown
  readonly answer: SharedArrayBuffer
}

/** An error of the other thread. */
export class BlockingCallError extends Error {
  override readonly name = 'BlockingCallError'
  /** The name of the class that was thrown there. */
  readonly thrownName: string
  /** Members beyond name and message. */
  readonly details: Readonly<Record<string, unknown>>

  constructor({ name, message, ...details }: { readonly name: string; readonly message: string }) {
    super(message)
    this.thrownName = name
    this.details = details
  }
}

/** Calls a function of the thread that started this worker, and waits until it is done. */
export const callBlocking = (port: MessagePort, name: string, argument: unknown): void => {
  const answer = new SharedArrayBuffer(4 * headerWords + maxErrorBytes)
  const header = new Int32Array(answer, 0, headerWords)
  port.postMessage({ blockingCall: name, argument, answer } satisfies BlockingMessage)
  Atomics.wait(header, 0, states.waiting)
  if (Atomics.load(header, 0) === states.done) return
  const text = Buffer.from(new Uint8Array(answer, 4 * headerWords, header[1])).toString()
  throw new BlockingCallError(JSON.parse(text) as { name: string; message: string }) // written by `fail`
}

/** Serves the calls of a name that a worker waits for. */
export const serveBlocking = (
  worker: Worker,
  name: string,
  serve: (argument: never) => Promise<void>,
): void => {
  worker.on('message', (message: Partial<BlockingMessage>) => {
    if (message.blockingCall !== name || message.answer === undefined) return
    const { answer } = message
    const header = new Int32Array(answer, 0, headerWords)
    const end = (state: number): void => {
      Atomics.store(header, 0, state)
      Atomics.notify(header, 0)
    }
    serve(message.argument as never).then(
      () => end(states.done),
      (error: unknown) => {
        header[1] = writeError(new Uint8Array(answer, 4 * headerWords), error)
        end(states.failed)
      },
    )
  })
}

const writeError = (target: Uint8Array, error: unknown): number => {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const encode = (text: string): Buffer =>
    Buffer.from(JSON.stringify({ ...(error as object), name, message: text }))
  let bytes = encode(message)
  if (bytes.length > target.length)
    bytes = Buffer.from(JSON.stringify({ name, message: message.slice(0, 500) }))
  target.set(bytes)
  return bytes.length
}
