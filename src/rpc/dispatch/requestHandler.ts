import { newLongSlice, runInSlices, type Slice, TimeSlice } from '../../base/threads/timeSlice.ts'
import { type RpcError, requestTimedOut, responseTooLarge, responseTooLong } from '../errors.ts'
import { RawJson, StreamedResult } from '../rawJson.ts'
import {
  BatchResponse,
  joinParts,
  joinShortParts,
  type Part,
  PiecedResponse,
  sizeOf,
} from './batchResponse.ts'
import { findOuterId } from './bodyLimits.ts'
import type { CallDispatcher, Outcome } from './dispatcher.ts'
import { type Body, type Call, type InvalidCall, isInvalidCall, parseBody, readLongBody } from './envelope.ts'
import type { InternalErrors } from './internalErrors.ts'
import { longBody } from './longWork.ts'
import { type RequestScope, shortResponseBytes } from './requestScope.ts'
import { UnreadResults } from './unreadResults.ts'

/** The response to a body; undefined if the body held only notifications. */
export type ResponseBody = string | Buffer | PiecedResponse | StreamedResponse | undefined

/** A response that is sent in pieces. The sender must dispose of it. */
export class StreamedResponse {
  readonly #id: string
  readonly #result: StreamedResult

  constructor(id: string, result: StreamedResult) {
    this.#id = id
    this.#result = result
  }

  get size(): number {
    return Buffer.byteLength(this.#head) + this.#result.size + 1
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(this.#head)
    yield* this.#result.read()
    yield Buffer.from('}')
  }

  dispose(): void {
    this.#result.dispose()
  }

  /**
   * Reads the response into memory. Returns an error response if it is longer than `limit` or than there is memory, or if
   * it cannot be read.
   */
  async collect(
    limit: number,
    scope: Pick<RequestScope, 'reserve' | 'refusal'>,
    internalErrors: InternalErrors,
  ): Promise<string | Buffer | PiecedResponse> {
    const hasMemory = this.size > limit || scope.reserve(this.size)
    if (this.size > limit || !hasMemory) {
      this.dispose()
      return errorResponse(this.#id, hasMemory ? responseTooLong(limit) : scope.refusal())
    }
    try {
      return new PiecedResponse([
        Buffer.from(this.#head),
        ...(await this.#result.collect()),
        Buffer.from('}'),
      ])
    } catch (error) {
      return errorResponse(this.#id, internalErrors.record('response', error))
    }
  }

  get #head(): string {
    return `{"jsonrpc":"2.0","id":${this.#id},"result":`
  }
}

/** A response that is in memory as a whole. */
export type Message = string | Buffer | PiecedResponse

/** Returns a response that is in memory as a whole, for a transport that sends messages. */
export const toMessage = (
  response: ResponseBody,
  limit: number,
  scope: RequestScope,
  internalErrors: InternalErrors,
): Message | undefined | Promise<Message> =>
  response instanceof StreamedResponse ? response.collect(limit, scope, internalErrors) : response

export interface BatchLimits {
  readonly batchRequestLimit: number
  readonly batchResponseMaxSize: number
  /** The most bytes of streamed results that one client may leave unread. */
  readonly traceSpoolPerClient: number
}

/** Above this length a body that is rejected is not parsed for the ids of its calls: one error answers it whole. */
const mostParsedToRefuse = 500_000

/** The memory of a response that is read from a file and written in pieces of a megabyte. */
const streamBytes = 2 << 20

/**
 * Turns the text of a request body into its response, for every transport. It neither throws nor rejects: what is thrown
 * while a body is parsed, run or answered ends here, and its client gets -32603.
 */
export class RequestHandler {
  readonly #limits: BatchLimits
  readonly #dispatcher: CallDispatcher
  readonly #internalErrors: InternalErrors
  readonly #newSlice: () => Slice
  readonly #unread: UnreadResults

  constructor(
    limits: BatchLimits,
    dispatcher: CallDispatcher,
    internalErrors: InternalErrors,
    newSlice: () => Slice = newLongSlice,
  ) {
    this.#limits = limits
    this.#unread = new UnreadResults(limits.traceSpoolPerClient)
    this.#dispatcher = dispatcher
    this.#internalErrors = internalErrors
    this.#newSlice = newSlice
  }

  handle(text: string, scope: RequestScope): ResponseBody | Promise<ResponseBody> {
    const hasMemory = countText(text, scope.reserveBody(text.length), scope)
    if (text.length > longBody) return this.#handleLong(text, hasMemory, scope)
    try {
      return this.#handleBody(parseBody(text, this.#limits.batchRequestLimit), hasMemory, scope)
    } catch (error) {
      return this.#fail(error, 'null')
    }
  }

  /** Answers every call of a body with an error, without running it. */
  refuse(text: string, error: RpcError, scope: RequestScope): ResponseBody | Promise<ResponseBody> {
    try {
      const hasMemory = countText(text, scope.reserveParsed(text.length), scope)
      const reason = hasMemory ? error : scope.refusal()
      if (text.length > mostParsedToRefuse) return joinParts(toResponseParts(findOuterId(text), reason))
      if (text.length > longBody)
        return this.#readLong(text, scope).then(
          (body) => body && refuse(body, reason),
          (problem: unknown) => this.#fail(problem, 'null'),
        )
      return refuse(parseBody(text, this.#limits.batchRequestLimit), reason)
    } catch (problem) {
      return this.#fail(problem, 'null')
    }
  }

  /** Reads a long body in slices, so that short ones are answered in between. */
  async #handleLong(text: string, isReserved: boolean, scope: RequestScope): Promise<ResponseBody> {
    try {
      const hasMemory = isReserved || (await scope.waitForBody(text.length))
      if (scope.isAbandoned) return undefined
      if (!hasMemory && text.length > mostParsedToRefuse)
        return joinParts(toResponseParts(findOuterId(text), scope.refusal()))
      const body = await this.#readLong(text, scope)
      return body === undefined ? undefined : await this.#handleBody(body, hasMemory, scope)
    } catch (error) {
      return this.#fail(error, 'null')
    }
  }

  #readLong(text: string, scope: Pick<RequestScope, 'isAbandoned'>): Promise<Body | undefined> {
    const work = readLongBody(text, this.#limits.batchRequestLimit)
    return runInSlices(work, this.#newSlice(), () => scope.isAbandoned)
  }

  #handleBody(body: Body, hasMemory: boolean, scope: RequestScope): ResponseBody | Promise<ResponseBody> {
    let id: string | undefined = 'null'
    try {
      if (!hasMemory) return refuse(body, scope.refusal())
      if (body.kind === 'batch')
        return this.#handleBatch(body.calls, scope).catch((error: unknown) => this.#fail(error, id))
      const { call } = body
      id = call.id
      const outcome = this.#run(call, scope)
      if (!(outcome instanceof Promise)) return toResponseBody(call.id, outcome, scope, this.#unread)
      return outcome
        .then((settled) => toResponseBody(call.id, settled, scope, this.#unread))
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
  async #toParts(
    id: string | undefined,
    outcome: Outcome,
    room: number,
    scope: RequestScope,
  ): Promise<readonly Part[]> {
    try {
      return toResponseParts(
        id,
        await collectOutcome(outcome, room, this.#limits.batchResponseMaxSize, scope),
      )
    } catch (error) {
      return toResponseParts(id, this.#internalErrors.record('response', error))
    }
  }

  #fail(error: unknown, id: string | undefined): ResponseBody {
    return joinParts(toResponseParts(id, this.#internalErrors.record('response', error)))
  }

  /**
   * Runs the calls of a batch one after the other, because they may build on each other. Only calls of one pipelined
   * method overlap.
   */
  async #handleBatch(calls: readonly (Call | InvalidCall)[], scope: RequestScope): Promise<ResponseBody> {
    const limit = this.#limits.batchResponseMaxSize
    scope.chargeBatch(calls.length)
    const batch = new BatchResponse()
    let size = 0
    /** The error of all calls once there is no memory for more results. */
    let refusal: RpcError | undefined
    const slice = TimeSlice.inTurn()
    for (let at = 0; at < calls.length; ) {
      const run = calls.slice(at, this.#runEnd(calls, at))
      const started: (Outcome | Promise<Outcome>)[] = []
      for (const call of run) {
        if (slice.isOver) await slice.next()
        if (scope.isAbandoned) return undefined
        const excuse =
          size > limit ? responseTooLarge(limit) : (refusal ?? (scope.isOver ? requestTimedOut() : undefined))
        started.push(excuse ?? this.#run(call, scope))
      }
      for (const [index, { id }] of run.entries()) {
        const outcome = (await started[index]) as Outcome // one for each call of the run
        const room = Math.max(0, limit - size)
        let response = await this.#toParts(id, outcome, room, scope)
        let bytes = sizeOf(response)
        size += bytes
        // An error is short, and takes the place of a result that was counted with the body.
        if (size > limit && bytes > shortResponseBytes)
          response = toResponseParts(id, responseTooLarge(limit))
        else if (refusal === undefined && !scope.reserveResponse(bytes)) {
          refusal = scope.refusal()
          response = toResponseParts(id, refusal)
          size -= bytes
          bytes = sizeOf(response)
          size += bytes
        }
        batch.add(response, bytes)
      }
      at += run.length
    }
    return batch.finish()
  }

  /**
   * Returns the end of the run of calls that may start together with the call at `start`: consecutive calls of the
   * same pipelined method.
   */
  #runEnd(calls: readonly (Call | InvalidCall)[], start: number): number {
    const first = calls[start] as Call | InvalidCall
    let end = start + 1
    // A long call is decoded after those behind it began, so it is the last one of its run.
    if (isInvalidCall(first) || first.isLong === true || !this.#dispatcher.overlaps(first)) return end
    for (let next = calls[end]; next !== undefined; next = calls[++end]) {
      if (isInvalidCall(next) || next.method !== first.method) break
      if (next.isLong === true) return end + 1
    }
    return end
  }
}

type ShortOutcome = Exclude<Outcome, StreamedResult>

/** Counts the text of a body for which there is no memory. Returns whether there is. */
const countText = (text: string, hasMemory: boolean, scope: RequestScope): boolean => {
  // It is there until its turn to be rejected, and more of its kind would arrive meanwhile if it did not count.
  if (!hasMemory) scope.count(text.length)
  return hasMemory
}

/** Returns a response with the error for every call. */
const refuse = (body: Body, error: RpcError): ResponseBody => {
  if (body.kind === 'single') return joinParts(toResponseParts(body.call.id, error))
  const batch = new BatchResponse()
  for (const { id } of body.calls) batch.add(toResponseParts(id, error), 0)
  return batch.finish()
}

const toResponseBody = (
  id: string | undefined,
  outcome: Outcome,
  scope: RequestScope,
  unread: UnreadResults,
): ResponseBody => {
  if (outcome instanceof StreamedResult) {
    const held = id === undefined ? undefined : unread.hold(scope.caller, outcome)
    if (id !== undefined && held !== undefined && scope.reserve(streamBytes))
      return new StreamedResponse(id, held)
    const ended = held ?? outcome
    ended.dispose()
    if (id === undefined) return undefined
    return errorResponse(id, held === undefined ? unread.refusal() : scope.refusal())
  }
  const body =
    typeof outcome === 'string' && id !== undefined
      ? resultResponse(id, outcome)
      : joinShortParts(toResponseParts(id, outcome))
  return body === undefined || scope.reserveResponse(body instanceof PiecedResponse ? body.size : body.length)
    ? body
    : joinParts(toResponseParts(id, scope.refusal()))
}

/** Reads a streamed result into memory, because the response to a batch is built in memory. */
const collectOutcome = async (
  outcome: Outcome,
  room: number,
  limit: number,
  scope: RequestScope,
): Promise<ShortOutcome> => {
  if (!(outcome instanceof StreamedResult)) return outcome
  const fits = outcome.size <= room
  // Held by the call, so that it is not counted again with the response.
  if (fits && scope.tryHold(outcome.size)) return new RawJson(await outcome.collect())
  outcome.dispose()
  return fits ? scope.refusal() : responseTooLarge(limit)
}

/** Returns the parts of one response object; none for a notification. */
const toResponseParts = (id: string | undefined, outcome: ShortOutcome): readonly Part[] => {
  if (id === undefined) return []
  if (typeof outcome === 'string') return [resultResponse(id, outcome)]
  if (outcome instanceof RawJson) return [`{"jsonrpc":"2.0","id":${id},"result":`, ...outcome.parts, '}']
  return [errorResponse(id, outcome)]
}

const resultResponse = (id: string, result: string): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${result}}`

const errorResponse = (id: string, { code, message, data }: RpcError): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
