import { isUtf8 } from 'node:buffer'
import { space } from '../base/json/jsonCodes.ts'
import { isTooDense } from '../base/json/jsonTokens.ts'

export interface Outcome {
  /** The JSON of the result. */
  readonly result?: Buffer
  readonly error?: { readonly code: number; readonly message: string }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

const firstHead = /^\[\{"jsonrpc":"2\.0","id":(\d{1,15}),"result":/
const maxHead = 64
const lastEnd = Buffer.from('}]')

/** Returns the id of one of the calls that are answered. */
export const someIdOf = (body: Buffer): number => {
  const [, id] = firstHead.exec(body.toString('latin1', 0, maxHead)) ?? []
  return id === undefined ? (parseAnswers(body)[0]?.id ?? -1) : Number(id)
}

/** Returns the outcomes of a batch whose ids go up from `first`, in the order of its calls. */
export const readAnswer = (body: Buffer, count: number, first: number): readonly Outcome[] => {
  const results = splitResults(body, count, first)
  if (results !== undefined) return results.map((result) => ({ result }))
  const outcomes = Array.from({ length: count }, (): Outcome => ({}))
  for (const { id, result, error } of parseAnswers(body))
    outcomes[id - first] = {
      ...(result !== undefined && { result: Buffer.from(JSON.stringify(result)) }),
      ...(error !== undefined && { error }),
    }
  return outcomes
}

/**
 * Finds the results in the response of a node that answers in order, in JSON without blanks, and has no error: the usual case,
 * in which nothing has to be parsed. What separates two answers is in no string, since a quote there has a backslash before it.
 */
const splitResults = (body: Buffer, count: number, first: number): readonly Buffer[] | undefined => {
  const bytes = trimEnd(body)
  const [head, id] = firstHead.exec(bytes.toString('latin1', 0, maxHead)) ?? []
  if (head === undefined || Number(id) !== first || !bytes.subarray(-lastEnd.length).equals(lastEnd))
    return undefined
  // A line must not break where it is copied.
  if (!isUtf8(bytes) || bytes.includes(lineFeed) || bytes.includes(carriageReturn)) return undefined
  const results: Buffer[] = []
  let start = head.length
  for (let next = first + 1; results.length < count - 1; next++) {
    const separator = `},{"jsonrpc":"2.0","id":${next},"result":`
    const end = bytes.indexOf(separator, start, 'latin1')
    if (end < 0) return undefined
    results.push(bytes.subarray(start, end))
    start = end + separator.length
  }
  results.push(bytes.subarray(start, -lastEnd.length))
  return results
}

const trimEnd = (bytes: Buffer): Buffer => {
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] as number) <= space) end--
  return bytes.subarray(0, end)
}

interface ParsedAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const parseAnswers = (body: Buffer): readonly ParsedAnswer[] => {
  const text = body.toString()
  if (isTooDense(text)) throw new Error('the node sent a response with too many values')
  const parsed = JSON.parse(text) as readonly ParsedAnswer[] | ParsedAnswer
  if (Array.isArray(parsed)) return parsed as readonly ParsedAnswer[]
  throw new Error((parsed as ParsedAnswer).error?.message ?? 'the node did not answer a batch')
}
