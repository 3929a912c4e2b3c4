/** What no request may ever be answered. */

interface Answer {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

const internalErrorCode = -32603

/** The longest error message; a revert's reason may be long, what a client sent is not repeated. */
const maxMessageLength = 100_000

/** Returns what is wrong with an error; undefined if it is one that a method may have. */
export const findErrorProblem = (code: unknown, message: unknown): string | undefined => {
  if (!Number.isSafeInteger(code)) return `the code is ${JSON.stringify(code)}`
  if (code === internalErrorCode) return `internal error: ${String(message)}`
  if (typeof message !== 'string' || message === '') return 'an error without a message'
  return message.length > maxMessageLength ? `a message of ${message.length} characters` : undefined
}

const findAnswerProblem = (answer: unknown, id: unknown): string | undefined => {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return 'an answer is not an object'
  const { jsonrpc, id: answered, result, error } = answer as Answer
  if (jsonrpc !== '2.0') return 'jsonrpc is not 2.0'
  if (id !== undefined && answered !== id)
    return `the id is ${JSON.stringify(answered)}, not ${JSON.stringify(id)}`
  if ((result === undefined) === (error === undefined)) return 'an answer has a result or an error'
  return error === undefined ? undefined : findErrorProblem(error.code, error.message)
}

/** Returns what is wrong with the text of an answer. `ids` are those asked for; undefined if nobody knows. */
export const findTextProblem = (
  text: string,
  ids: readonly number[] | undefined,
  isBatch: boolean,
): string | undefined => {
  if (text === '') return ids === undefined ? undefined : 'no answer'
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return `not JSON: ${text.slice(0, 200)}`
  }
  if (ids === undefined) {
    const answers = Array.isArray(parsed) ? parsed : [parsed]
    return answers
      .map((answer) => findAnswerProblem(answer, undefined))
      .find((problem) => problem !== undefined)
  }
  // A body that is nested too deep or holds too many values is refused as a whole, without an id.
  if (isRefusedWhole(parsed)) return undefined
  if (!isBatch) return findAnswerProblem(parsed, ids[0])
  if (!Array.isArray(parsed)) return 'the answer to a batch is not a list'
  if (parsed.length !== ids.length) return `${parsed.length} answers to ${ids.length} calls`
  return parsed
    .map((answer, at) => findAnswerProblem(answer, ids[at]))
    .find((problem) => problem !== undefined)
}

const isBodyRefusal = (code: unknown): boolean => code === -32600 || code === -32005

const isRefusedWhole = (parsed: unknown): boolean => {
  const { id, error } = (parsed ?? {}) as Answer
  return id === null && isBodyRefusal(error?.code) && findAnswerProblem(parsed, null) === undefined
}
