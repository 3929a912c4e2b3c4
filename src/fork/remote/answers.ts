import { isTooDense } from '../../base/json/jsonTokens.ts'

/** What the remote answered one call with. */
export interface Answer {
  readonly result?: unknown
  readonly error?: AnsweredError
}

export interface AnsweredError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Reads one JSON-RPC response; undefined if it is invalid. */
const readAnswer = (value: unknown): (Answer & { readonly id: unknown }) | undefined => {
  if (!isObject(value)) return undefined
  const { id, error } = value
  if (isObject(error)) {
    const { code, message, data } = error
    const number = typeof code === 'number' && Number.isSafeInteger(code) ? code : 0
    return { id, error: { code: number, message: typeof message === 'string' ? message : '', data } }
  }
  return 'result' in value ? { id, result: value.result } : undefined
}

/** The responses to a body: those to its calls in their order, or the one that the remote gave to all of them. */
export type BodyAnswers =
  | { readonly kind: 'each'; readonly answers: readonly Answer[] }
  | { readonly kind: 'all'; readonly answer: Answer | undefined }

/** Pairs the responses of a body with its calls, whose ids count from 0; a response that is missing or doubled counts for all. */
export const readAnswers = (text: string, count: number): BodyAnswers => {
  if (isTooDense(text)) return { kind: 'all', answer: undefined }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { kind: 'all', answer: undefined }
  }
  if (!Array.isArray(parsed)) {
    const answer = readAnswer(parsed)
    return count === 1 && answer !== undefined
      ? { kind: 'each', answers: [answer] }
      : { kind: 'all', answer: answer?.error === undefined ? undefined : answer }
  }
  const answers: (Answer | undefined)[] = Array.from({ length: count })
  for (const each of parsed) {
    const answer = readAnswer(each)
    const { id } = answer ?? {}
    if (answer === undefined || typeof id !== 'number' || !(id in answers) || answers[id] !== undefined)
      return { kind: 'all', answer: answer?.error === undefined ? undefined : answer }
    answers[id] = answer
  }
  return answers.every((answer) => answer !== undefined)
    ? { kind: 'each', answers }
    : { kind: 'all', answer: undefined }
}

const rateWords =
  /rate.?limit|too many requests|requests per|per second|compute unit|capacity|throttl|request limit|daily request|exceeded the/i
const resultWords = /more than \d|results|range|response size|query returned|\blogs\b|batch/i

/** Returns whether an error is what a contract answered with: its words are those of anybody. */
const isOfContract = ({ code, message, data }: AnsweredError): boolean =>
  code === 3 || typeof data === 'string' || /^execution reverted/i.test(message)

/** Returns whether an error says that the remote was asked too much, and not that one request wants too much. */
export const isRateLimit = (error: AnsweredError, hasRetryAfter: boolean): boolean => {
  const { code, message } = error
  if (isOfContract(error)) return false
  return (
    code === 429 ||
    hasRetryAfter ||
    (code === -32_005 && !resultWords.test(message)) ||
    (rateWords.test(message) && !resultWords.test(message))
  )
}

/** Returns whether a node behind the remote may just not have the block yet, or be in trouble, so that another try may succeed. */
export const isTransient = ({ code, message }: AnsweredError): boolean =>
  code === -32_603 ||
  /header not found|unknown block|block not found|try again|timeout|timed out/i.test(message)
