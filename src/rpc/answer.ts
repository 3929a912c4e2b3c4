import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CallRunner, Outcome } from './dispatch.ts'
import { type BadCall, type Call, isBadCall, readBody } from './envelope.ts'
import { responseTooLarge, timedOut } from './errors.ts'
import { RawJson } from './json.ts'
import type { RequestScope } from './scope.ts'

/** What goes back for a body; undefined when it held notifications only. */
export type Answer = string | Buffer | undefined

export interface AnswerLimits {
  readonly batchRequestLimit: number
  readonly batchResponseMaxSize: number
}

/** A batch gives the event loop a turn after this many milliseconds of its own work. */
const batchSliceMs = 5

/** From the text of a request body to the text of its response, for every transport. */
export class Answerer {
  readonly #limits: AnswerLimits
  readonly #dispatcher: CallRunner

  constructor(limits: AnswerLimits, dispatcher: CallRunner) {
    this.#limits = limits
    this.#dispatcher = dispatcher
  }

  answer(text: string, scope: RequestScope): Answer | Promise<Answer> {
    const body = readBody(text, this.#limits.batchRequestLimit)
    if (body.kind === 'batch') return this.#answerBatch(body.calls, scope)
    const { call } = body
    const outcome = this.#run(call, scope)
    if (!(outcome instanceof Promise)) return join(response(call.id, outcome))
    return outcome.then((settled) => join(response(call.id, settled)))
  }

  #run(call: Call | BadCall, scope: RequestScope): Outcome | Promise<Outcome> {
    return isBadCall(call) ? call.error : this.#dispatcher.dispatch(call, scope)
  }

  /** One after the other, in order: calls of a batch may build on each other (consecutive nonces). */
  async #answerBatch(calls: readonly (Call | BadCall)[], scope: RequestScope): Promise<Answer> {
    const limit = this.#limits.batchResponseMaxSize
    scope.chargeBatch(calls.length)
    const parts: Part[] = []
    let size = 0
    let sliceStart = performance.now()
    for (const call of calls) {
      if (performance.now() - sliceStart > batchSliceMs) {
        await nextTurn()
        sliceStart = performance.now()
      }
      const full = size > limit
      const outcome = full
        ? responseTooLarge(limit)
        : scope.isOver
          ? timedOut()
          : await this.#run(call, scope)
      let answer = response(call.id, outcome)
      size += sizeOf(answer)
      if (!full && size > limit) answer = response(call.id, responseTooLarge(limit))
      if (answer.length > 0) parts.push(parts.length === 0 ? '[' : ',')
      // One by one: an answer may have more parts than a call takes arguments.
      for (const part of answer) parts.push(part)
    }
    if (parts.length > 0) parts.push(']')
    return join(parts)
  }
}

type Part = string | Uint8Array

/** The pieces of one response object; none for a notification. */
const response = (id: string | undefined, outcome: Outcome): readonly Part[] => {
  if (id === undefined) return []
  if (typeof outcome === 'string') return [`{"jsonrpc":"2.0","id":${id},"result":${outcome}}`]
  if (outcome instanceof RawJson) return [`{"jsonrpc":"2.0","id":${id},"result":`, ...outcome.parts, '}']
  const { code, message, data } = outcome
  return [`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`]
}

const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.length), 0)

const join = (parts: readonly Part[]): Answer => {
  if (parts.length === 0) return undefined
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}
