import { TimeSlice } from '../../base/timeSlice.ts'
import { requestTimedOut, responseTooLarge, responseTooLong } from '../errors.ts'
import { RawJson, StreamedResult } from '../rawJson.ts'
import type { CallDispatcher, Outcome } from './dispatcher.ts'
import { type Call, type InvalidCall, isInvalidCall, parseBody } from './envelope.ts'
import type { RequestScope } from './requestScope.ts'

/** What goes back for a body; undefined when it held notifications only. */
export type ResponseBody = string | Buffer | StreamedResponse | undefined

/** An answer that is sent piece by piece. Whoever does so disposes of it. */
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

  /** In one piece, or the error that it is longer than that. */
  async collect(limit: number): Promise<string | Buffer> {
    if (this.size <= limit)
      return Buffer.concat([Buffer.from(this.#head), await this.#result.collect(), Buffer.from('}')])
    this.dispose()
    const error = responseTooLong(limit)
    return `{"jsonrpc":"2.0","id":${this.#id},"error":${JSON.stringify({ code: error.code, message: error.message })}}`
  }

  get #head(): string {
    return `{"jsonrpc":"2.0","id":${this.#id},"result":`
  }
}

export interface BatchLimits {
  readonly batchRequestLimit: number
  readonly batchResponseMaxSize: number
}

/** From the text of a request body to the text of its response, for every transport. */
export class RequestHandler {
  readonly #limits: BatchLimits
  readonly #dispatcher: CallDispatcher

  constructor(limits: BatchLimits, dispatcher: CallDispatcher) {
    this.#limits = limits
    this.#dispatcher = dispatcher
  }

  handle(text: string, scope: RequestScope): ResponseBody | Promise<ResponseBody> {
    const body = parseBody(text, this.#limits.batchRequestLimit)
    if (body.kind === 'batch') return this.#handleBatch(body.calls, scope)
    const { call } = body
    const outcome = this.#run(call, scope)
    if (!(outcome instanceof Promise)) return toResponseBody(call.id, outcome)
    return outcome.then((settled) => toResponseBody(call.id, settled))
  }

  #run(call: Call | InvalidCall, scope: RequestScope): Outcome | Promise<Outcome> {
    return isInvalidCall(call) ? call.error : this.#dispatcher.dispatch(call, scope)
  }

  /** One after the other, in order: calls of a batch may build on each other. Only runs that keep it are under way together. */
  async #handleBatch(calls: readonly (Call | InvalidCall)[], scope: RequestScope): Promise<ResponseBody> {
    const limit = this.#limits.batchResponseMaxSize
    scope.chargeBatch(calls.length)
    const parts: Part[] = []
    let size = 0
    const slice = new TimeSlice()
    for (let at = 0; at < calls.length; ) {
      const run = calls.slice(at, this.#runEnd(calls, at))
      const full = size > limit
      const begun: (Outcome | Promise<Outcome>)[] = []
      for (const call of run) {
        if (slice.isOver) await slice.next()
        begun.push(full ? responseTooLarge(limit) : scope.isOver ? requestTimedOut() : this.#run(call, scope))
      }
      for (const [index, { id }] of run.entries()) {
        const isPast = size > limit
        const outcome = isPast ? responseTooLarge(limit) : ((await begun[index]) as Outcome)
        let answer = toResponseParts(id, await collectOutcome(outcome, limit - size, limit))
        size += sizeOf(answer)
        if (!isPast && size > limit) answer = toResponseParts(id, responseTooLarge(limit))
        if (answer.length > 0) parts.push(parts.length === 0 ? '[' : ',')
        // One by one: an answer may have more parts than a call takes arguments.
        for (const part of answer) parts.push(part)
      }
      at += run.length
    }
    if (parts.length > 0) parts.push(']')
    return join(parts)
  }

  /** Where the calls end that begin together with the one at `start`: those of its method, if that allows it. */
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

/** What stands in a batch is held in memory as a whole. */
const collectOutcome = async (outcome: Outcome, room: number, limit: number): Promise<ShortOutcome> => {
  if (!(outcome instanceof StreamedResult)) return outcome
  if (outcome.size <= room) return new RawJson(await outcome.collect())
  outcome.dispose()
  return responseTooLarge(limit)
}

/** The pieces of one response object; none for a notification. */
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
