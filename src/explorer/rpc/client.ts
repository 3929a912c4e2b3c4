import { texts } from '../texts.ts'
import { RpcFailure } from './failure.ts'

interface Waiting {
  readonly method: string
  readonly params: readonly unknown[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: RpcFailure) => void
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The most calls in one request; a view asks for dozens at a time. */
const maxBatch = 100

/** The methods that may take long, so that nothing else should wait for them. */
const slow = /^(?:debug_|trace_|ots_|perihelion_trace|eth_getLogs|rpc\.|cosmos_|anvil_mine|evm_mine)/

/** Where the node answers: below the page, so that a proxy's prefix or an API key in the path is kept. */
export const endpoint = (): URL => new URL('./', location.href.split('#', 1)[0])

let queue: Waiting[] = []

/** Calls a method. Calls of one turn travel together, except those that may take long. */
export const call = <T>(method: string, ...params: readonly unknown[]): Promise<T> =>
  new Promise((resolve, reject) => {
    // The cast is sound as far as the node answers what its OpenRPC document says.
    const waiting: Waiting = { method, params, resolve: resolve as (result: unknown) => void, reject }
    if (slow.test(method)) return void send([waiting])
    if (queue.length === 0) queueMicrotask(flush)
    queue.push(waiting)
  })

/** Calls a method in a request of its own, which ends when the signal does. */
export const callUntil = <T>(
  signal: AbortSignal,
  method: string,
  ...params: readonly unknown[]
): Promise<T> =>
  new Promise((resolve, reject) => {
    // Sound as above.
    void send([{ method, params, resolve: resolve as (result: unknown) => void, reject }], signal)
  })

const flush = (): void => {
  const calls = queue
  queue = []
  for (let at = 0; at < calls.length; at += maxBatch) void send(calls.slice(at, at + maxBatch))
}

const send = async (calls: readonly Waiting[], signal?: AbortSignal): Promise<void> => {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  const answers = await post(requests.length === 1 ? requests[0] : requests, signal).catch(
    (error: unknown) => error as Error,
  )
  if (answers instanceof Error) {
    for (const { method, reject } of calls) reject(asFailure(method, answers))
    return
  }
  const list = (Array.isArray(answers) ? answers : [answers]) as readonly Answer[]
  const byId = new Map(list.map((answer) => [answer.id, answer]))
  for (const [id, { method, resolve, reject }] of calls.entries()) {
    const answer = byId.get(id) ?? list.find((one) => one.id === null)
    if (answer?.error !== undefined) reject(new RpcFailure(method, answer.error.message, answer.error))
    else if (answer === undefined) reject(new RpcFailure(method, texts.errors.noAnswer))
    else resolve(answer.result)
  }
}

const asFailure = (method: string, error: Error): RpcFailure =>
  error instanceof RpcFailure
    ? new RpcFailure(method, error.message, { ...(error.status !== undefined && { status: error.status }) })
    : new RpcFailure(method, error.message)

const post = async (body: unknown, signal?: AbortSignal): Promise<unknown> =>
  JSON.parse((await postText(JSON.stringify(body), signal)).text)

/** Sends a body as it is; for the console, which shows time and size. */
export const postText = async (
  body: string,
  signal?: AbortSignal,
): Promise<{ readonly text: string; readonly ms: number }> => {
  const startedAt = performance.now()
  const response = await fetch(endpoint(), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    cache: 'no-store',
    credentials: 'same-origin',
    ...(signal !== undefined && { signal }),
  })
  const text = await response.text()
  if (!response.ok) throw new RpcFailure('', text.trim() || response.statusText, { status: response.status })
  return { text, ms: performance.now() - startedAt }
}
