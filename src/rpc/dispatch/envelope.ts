import { closeBracket, openBracket } from '../../base/json/jsonCodes.ts'
import { DepthError, JsonScanner } from '../../base/json/jsonScanner.ts'
import { hasMoreJsonValuesInText } from '../../base/json/jsonTokens.ts'
import {
  abbreviate,
  batchTooLarge,
  emptyBatch,
  invalidParams,
  invalidRequest,
  limitExceeded,
  parseError,
  type RpcError,
} from '../errors.ts'
import { findOuterId, maxValues } from './bodyLimits.ts'
import { type EnvelopeShape, readEnvelope } from './envelopeShape.ts'

/** The deepest nesting of a request. */
export const maxDepth = 64

/** One call of a body that is valid JSON-RPC 2.0; its method and arguments are not checked yet. */
export interface Call {
  /** The id as JSON text, byte for byte as it came; undefined for a notification, which gets no response. */
  readonly id: string | undefined
  readonly method: string
  readonly params: readonly unknown[]
}

/** A call that cannot be run, with its error and the id of the response (undefined if there is no response). */
export interface InvalidCall {
  readonly id: string | undefined
  readonly error: RpcError
}

export type Body =
  | { readonly kind: 'single'; readonly call: Call | InvalidCall }
  | { readonly kind: 'batch'; readonly calls: readonly (Call | InvalidCall)[] }

export const isInvalidCall = (call: Call | InvalidCall): call is InvalidCall => 'error' in call

const single = (error: RpcError, id = 'null'): Body => ({ kind: 'single', call: { id, error } })

/** Parses a request body into calls. It never throws: an invalid body gives a call with an error. */
export const parseBody = (text: string, batchLimit: number): Body => {
  if (hasMoreJsonValuesInText(text, maxValues)) {
    const error = limitExceeded(`more than ${maxValues} objects, lists and values in one request`)
    return single(error, findOuterId(text))
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return single(parseError())
  }
  try {
    const scanner = new JsonScanner(text, maxDepth)
    if (Array.isArray(value)) return parseBatch(value, scanner, batchLimit)
    return { kind: 'single', call: parseCall(value, readEnvelope(scanner, 0)) }
  } catch (error) {
    if (error instanceof DepthError) return single(invalidRequest(`nesting deeper than ${maxDepth} levels`))
    throw error
  }
}

const parseBatch = (values: readonly unknown[], scanner: JsonScanner, limit: number): Body => {
  if (values.length === 0) return single(emptyBatch())
  scanner.skipSpace()
  scanner.enter(openBracket)
  const tooLarge = values.length > limit
  const calls: (Call | InvalidCall)[] = []
  for (const value of values) {
    const call = parseCall(value, readEnvelope(scanner, 1))
    scanner.next(closeBracket)
    // The first id shows the client which batch it was, so that the rest need not be read.
    if (tooLarge && call.id !== undefined) return single(batchTooLarge(limit), call.id)
    calls.push(call)
    if (calls.length > limit) return single(batchTooLarge(limit))
  }
  return { kind: 'batch', calls }
}

const parseCall = (value: unknown, shape: EnvelopeShape): Call | InvalidCall => {
  const problem = shape.problem ?? findProblem(value, shape.id)
  // An id of an allowed type is echoed even if the rest is invalid; without one JSON-RPC requires null.
  if (problem !== undefined) {
    return {
      id: shape.id !== undefined && isId(shape.id) ? shape.id : 'null',
      error: invalidRequest(problem),
    }
  }
  // findProblem has checked the types of these members.
  const { method, params } = value as { method: string; params?: unknown }
  if (params === undefined || params === null) return { id: shape.id, method, params: [] }
  if (Array.isArray(params)) return { id: shape.id, method, params }
  return { id: shape.id, error: invalidParams('params must be an array: parameters are given by position') }
}

const findProblem = (value: unknown, id: string | undefined): string | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'a call is an object'
  const { jsonrpc, method } = value as { jsonrpc?: unknown; method?: unknown }
  if (jsonrpc !== '2.0') return `"jsonrpc" must be "2.0", got ${abbreviate(jsonrpc)}`
  if (id !== undefined && !isId(id)) return '"id" must be a number, a string or null'
  if (typeof method !== 'string') return `"method" must be a string, got ${abbreviate(method)}`
  return undefined
}

/** Returns whether the text of a valid JSON value is a number, a string or null, by its first character. */
const isId = (text: string): boolean => /^["\-0-9n]/.test(text)
