import { texts } from '../texts/texts.ts'
import { messageOf, RpcFailure } from './failure.ts'
import { endpoint, prove, trustText } from './proof.ts'

interface Waiting {
  readonly method: string
  readonly params: readonly unknown[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: RpcFailure) => void
}

interface Answer {
  readonly id: number | null
  readonly result?: unknown
  // Some servers give null beside a result.
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | null
}

/** The most calls in one request; a view asks for dozens at a time. */
const maxBatch = 100

/** The methods that may take long, so that nothing else should wait for them. */
const slow = /^(?:debug_|trace_|ots_|perihelion_trace|eth_getLogs|rpc\.|cosmos_|anvil_mine|evm_mine)/

let queue: Waiting[] = []

/** Calls a method: by proofs where the page believes nothing and there are some, else of the endpoint. */
export const call = async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
  const trust = trustText()
  const proven = trust === undefined ? undefined : await prove(trust, method, params)
  // Sound as below.
  return proven === undefined ? ask<T>(method, params) : (proven.result as T)
}

/** Asks the endpoint. Calls of one turn travel together, except those that may take long. */
const ask = <T>(method: string, params: readonly unknown[]): Promise<T> =>
  new Promise((resolve, reject) => {
    // The cast is sound as far as the node answers what its OpenRPC document says.
    const waiting: Waiting = { method, params, resolve: resolve as (result: unknown) => void, reject }
    if (slow.test(method)) return void send([waiting])
    if (queue.length === 0) queueMicrotask(flush)
    queue.push(waiting)
  })

/** Asks the endpoint in a request of its own, which ends when the signal does. Nothing proves what it gives. */
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

/** Sends calls in one request. Whatever is answered, each of them ends: a caller would wait forever otherwise. */
const send = async (calls: readonly Waiting[], signal?: AbortSignal): Promise<void> => {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  try {
    settle(calls, await post(requests.length === 1 ? requests[0] : requests, signal))
  } catch (error) {
    // It changes nothing for those that have ended.
    for (const { method, reject } of calls) reject(asFailure(method, error))
  }
}

const isAnswer = (value: unknown): value is Answer => typeof value === 'object' && value !== null

const settle = (calls: readonly Waiting[], answers: unknown): void => {
  const list = (Array.isArray(answers) ? answers : [answers]).filter(isAnswer)
  const byId = new Map(list.map((answer) => [answer.id, answer]))
  // What is wrong with the whole request.
  const refusal = list.find(({ id, error }) => id === null && error != null)
  for (const [id, { method, resolve, reject }] of calls.entries()) {
    const answer = byId.get(id) ?? refusal
    if (answer?.error != null) reject(new RpcFailure(method, answer.error.message, answer.error))
    else if (answer === undefined) reject(new RpcFailure(method, texts.errors.noAnswer))
    else resolve(answer.result)
  }
}

const asFailure = (method: string, error: unknown): RpcFailure => {
  const status = error instanceof RpcFailure ? error.status : undefined
  return new RpcFailure(method, messageOf(error), { ...(status !== undefined && { status }) })
}

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
