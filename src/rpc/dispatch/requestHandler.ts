import { TimeSlice } from '../../base/threads/timeSlice.ts'
import { type RpcError, requestTimedOut, responseTooLarge, responseTooLong } from '../errors.ts'
import { RawJson, StreamedResult } from '../rawJson.ts'
import type { CallDispatcher, Outcome } from './dispatcher.ts'
import { type Call, type InvalidCall, isInvalidCall, parseBody } from './envelope.ts'
import type { InternalErrors } from './internalErrors.ts'
import type { RequestScope } from './requestScope.ts'

/** The response to a body; undefined if the body held only notifications. */
export type ResponseBody = string | Buffer | StreamedResponse | undefined

/** A response that is sent in pieces. The sender has to dispose of it. */
export class StreamedResponse {
  readonly #id: string
  readonly #result: StreamedResult

  constructor(id: string, result: StreamedResult) {
    this.#id = id
    this.#result = result
  }

  get size(): number {
    return this.#head.length + this.#result.size + 1
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(this.#head)
    yield* this.#result.read()
    yield Buffer.from('}')
  }

  dispose(): void {
    this.#result.dispose()
  }

  /** Returns the response in one piece, or an error response if it is longer than `limit` or cannot be read. */
  async collect(limit: number, internalErrors: InternalErrors): Promise<string | Buffer> {
    if (this.size > limit) {
      this.dispose()
      return this.#toError(responseTooLong(limit))
    }
    try {
      return Buffer.concat([Buffer.from(this.#head), await this.#result.collect(), Buffer.from('}')])
    } catch (error) {
      return this.#toError(internalErrors.record('response', error))
    }
  }

  #toError({ code, message }: RpcError): string {
    return `{"jsonrpc":"2.0","id":${this.#id},"error":${JSON.stringify({ code, message })}}`
  }

  get #head(): string {
    return `{"jsonrpc":"2.0","id":${this.#id},"result":`
  }
}

export interface BatchLimits {
  readonly batchRequestLimit: number
  readonly batchResponseMaxSize: number
}

/**
 * Turns the text of a request body into its response, for every transport. It neither throws nor rejects: what is thrown
 * while a body is parsed, run or answered ends here, and its client gets -32603.
 */
export class RequestHandler {
  readonly #limits: BatchLimits
  readonly #dispatcher: CallDispatcher
  readonly #internalErrors: InternalErrors

  constructor(limits: BatchLimits, dispatcher: CallDispatcher, internalErrors: InternalErrors) {
    this.#limits = limits
    this.#dispatcher = dispatcher
    this.#internalErrors = internalErrors
  }

  handle(text: string, scope: RequestScope): ResponseBody | Promise<ResponseBody> {
    let id: string | undefined = 'null'
    try {
      const body = parseBody(text, this.#limits.batchRequestLimit)
      if (body.kind === 'batch')
        return this.#handleBatch(body.calls, scope).catch((error: unknown) => this.#fail(error, id))
      const { call } = body
      id = call.id
      const outcome = this.#run(call, scope)
      if (!(outcome instanceof Promise)) return toResponseBody(call.id, outcome)
      return outcome
        .then((settled) => toResponseBody(call.id, settled))
        .catch((error: unknown) => this.#fail(error, call.id))
    } catch (error) {
      return this.#fail(error, id)
    }
  }

  /** Each call is contained alone, so that the others of its batch go on and no rejection is left unhandled. */
  #run(call: Call | InvalidCall, scope: RequestScope): Outcome | Promise<Outcome> {
    if (isInvalidCall(call)) return call.error
    try {
      const outcome = this.#dispatcher.dispatch(call, scope)
      if (!(outcome instanceof Promise)) return outcome
      return outcome.catch((error: unknown) => this.#internalErrors.record('call', error))
    } catch (error) {
      return this.#internalErrors.record('call', error)
    }
  }

  /** Returns the response of one call of a batch. If it cannot be written, it is an error and the others stay. */
  async #toParts(id: string | undefined, outcome: Outcome, room: number): Promise<readonly Part[]> {
    try {
      return toResponseParts(id, await collectOutcome(outcome, room, this.#limits.batchResponseMaxSize))
    } catch (error) {
      return toResponseParts(id, this.#internalErrors.record('response', error))
    }
  }

  #fail(error: unknown, id: string | undefined): ResponseBody {
    return toResponseBody(id, this.#internalErrors.record('response', error))
  }

  /**
   * Runs the calls of a batch one after the other, because they may build on each other. Only calls of one pipelined
   * method overlap.
   */
  async #handleBatch(calls: readonly (Call | InvalidCall)[], scope: RequestScope): Promise<ResponseBody> {
    const limit = this.#limits.batchResponseMaxSize
    scope.chargeBatch(calls.length)
    const parts: Part[] = []
    let size = 0
    const slice = new TimeSlice()
    for (let at = 0; at < calls.length; ) {
      const run = calls.slice(at, this.#runEnd(calls, at))
      const isFull = size > limit
      const started: (Outcome | Promise<Outcome>)[] = []
      for (const call of run) {
        if (slice.isOver) await slice.next()
        started.push(
          isFull ? responseTooLarge(limit) : scope.isOver ? requestTimedOut() : this.#run(call, scope),
        )
      }
      for (const [index, { id }] of run.entries()) {
        const isOverLimit = size > limit
        const outcome = isOverLimit ? responseTooLarge(limit) : ((await started[index]) as Outcome)
        let response = await this.#toParts(id, outcome, limit - size)
        size += sizeOf(response)
        if (!isOverLimit && size > limit) response = toResponseParts(id, responseTooLarge(limit))
        if (response.length > 0) parts.push(parts.length === 0 ? '[' : ',')
        // One by one: a response may have more parts than a function call can have arguments.
        for (const part of response) parts.push(part)
      }
      at += run.length
    }
    if (parts.length > 0) parts.push(']')
    return join(parts)
  }

  /**
   * Returns the end of the run of calls that may start together with the call at `start`: consecutive calls of the
   * same pipelined method.
   */
  #runEnd(calls: readonly (Call | InvalidCall)[], start: number): number {
    const first = calls[start] as Call | InvalidCall
    let end = start + 1
    if (isInvalidCall(first) || !this.#dispatcher.overlaps(first)) return end
    for (let next = calls[end]; next !== undefined; next = calls[++end])
      if (isInvalidCall(next) || next.method !== first.method) break
    return end
  }
}

type Part = string | Uint8Array
type ShortOutcome = Exclude<Outcome, StreamedResult>

const toResponseBody = (id: string | undefined, outcome: Outcome): ResponseBody => {
  if (!(outcome instanceof StreamedResult)) return join(toResponseParts(id, outcome))
  if (id !== undefined) return new StreamedResponse(id, outcome)
  outcome.dispose()
  return undefined
}

/** Reads a streamed result into memory, because the response to a batch is built in memory. */
const collectOutcome = async (outcome: Outcome, room: number, limit: number): Promise<ShortOutcome> => {
  if (!(outcome instanceof StreamedResult)) return outcome
  if (outcome.size <= room) return new RawJson(await outcome.collect())
  outcome.dispose()
  return responseTooLarge(limit)
}

/** Returns the parts of one response object; none for a notification. */
const toResponseParts = (id: string | undefined, outcome: ShortOutcome): readonly Part[] => {
  if (id === undefined) return []
  if (typeof outcome === 'string') return [`{"jsonrpc":"2.0","id":${id},"result":${outcome}}`]
  if (outcome instanceof RawJson) return [`{"jsonrpc":"2.0","id":${id},"result":`, ...outcome.parts, '}']
  const { code, message, data } = outcome
  return [`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`]
}

const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.length), 0)

const join = (parts: readonly Part[]): ResponseBody => {
  if (parts.length === 0) return undefined
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}
