import { closeBrace, closeBracket, openBrace, openBracket } from '../../base/json/jsonCodes.ts'
import { DepthError, JsonScanner } from '../../base/json/jsonScanner.ts'
import { hasMoreJsonValuesInText } from '../../base/json/jsonTokens.ts'
import { PiecedJson, setMember } from '../../base/json/piecedJson.ts'
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
import { EnvelopeMembers, type EnvelopeShape, noEnvelope, readEnvelope } from './envelopeShape.ts'

/** The deepest nesting of a request. */
export const maxDepth = 64

/** One call of a body that is valid JSON-RPC 2.0; its method and arguments are not checked yet. */
export interface Call {
  /** The id as JSON text, byte for byte as it came; undefined for a notification, which gets no response. */
  readonly id: string | undefined
  readonly method: string
  readonly params: readonly unknown[]
  /** Whether `params` came as an object, which is the only parameter then; few methods take that. */
  readonly isByName?: true
  /** Whether its text is so long that its parameters are decoded in slices. */
  readonly isLong?: boolean
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

/** Returns the response to a body that holds too much to be parsed. */
const findTooMany = (text: string): Body | undefined => {
  if (!hasMoreJsonValuesInText(text, maxValues)) return undefined
  const error = limitExceeded(`more than ${maxValues} objects, lists and values in one request`)
  return single(error, findOuterId(text))
}

/** Returns the response to a body that could not be read. */
const toRefused = (error: unknown): Body => {
  if (error instanceof SyntaxError) return single(parseError())
  if (error instanceof DepthError) return single(invalidRequest(`nesting deeper than ${maxDepth} levels`))
  throw error
}

/** Parses a request body into calls. It never throws: an invalid body gives a call with an error. */
export const parseBody = (text: string, batchLimit: number): Body => {
  const tooMany = findTooMany(text)
  if (tooMany !== undefined) return tooMany
  try {
    const value: unknown = JSON.parse(text)
    const scanner = new JsonScanner(text, maxDepth)
    if (!Array.isArray(value)) return { kind: 'single', call: parseCall(value, readEnvelope(scanner, 0)) }
    scanner.skipSpace()
    scanner.enter(openBracket)
    return toBatch(readShort(value, scanner), value.length, batchLimit)
  } catch (error) {
    return toRefused(error)
  }
}

/** A request object as its value and as what only its text shows. */
interface Entry {
  readonly value: unknown
  readonly shape: EnvelopeShape
  readonly isLong: boolean
}

/** Reads the request objects of a batch whose values are parsed, one by one. */
function* readShort(values: readonly unknown[], scanner: JsonScanner): Generator<Entry> {
  for (const value of values) {
    yield { value, shape: readEnvelope(scanner, 1), isLong: false }
    scanner.next(closeBracket)
  }
}

/**
 * Does what `parseBody` does with a long body, piece by piece, and yields after each. A body that is both too deep and no
 * JSON after that is called too deep.
 */
export function* readLongBody(
  text: string,
  batchLimit: number,
  pieceLength?: number,
): Generator<undefined, Body> {
  const tooMany = findTooMany(text)
  if (tooMany !== undefined) return tooMany
  yield
  try {
    const json = new PiecedJson(text, maxDepth, pieceLength)
    json.skipSpace()
    if (json.next !== openBracket) {
      const { value, shape } = yield* readLongEntry(json, 0)
      json.finish()
      return { kind: 'single', call: parseCall(value, shape, true) }
    }
    const entries: Entry[] = []
    for (let isMore = json.enter(openBracket); isMore; ) {
      const run = json.run(closeBracket, 1)
      if (run === undefined) {
        entries.push(yield* readLongEntry(json, 1))
        isMore = json.nextElement(closeBracket)
      } else {
        for (const entry of readShort(JSON.parse(`[${run}]`) as unknown[], new JsonScanner(run)))
          entries.push(entry)
        isMore = !json.endsContainer
      }
      yield
    }
    json.finish()
    return toBatch(entries, entries.length, batchLimit)
  } catch (error) {
    return toRefused(error)
  }
}

/** Reads a request object that is longer than a piece, or is alone. */
function* readLongEntry(json: PiecedJson, depth: number): Generator<undefined, Entry> {
  if (json.next !== openBrace) return { value: yield* json.value(depth), shape: noEnvelope, isLong: true }
  const shape = new EnvelopeMembers()
  const value: Record<string, unknown> = {}
  for (let isMore = json.enter(openBrace); isMore; isMore = json.nextElement(closeBrace)) {
    const name = yield* json.key()
    const start = json.at
    setMember(value, name, yield* json.value(depth + 1))
    shape.add(name, () => json.text.slice(start, json.at))
    yield
  }
  return { value, shape, isLong: true }
}

const toBatch = (entries: Iterable<Entry>, count: number, limit: number): Body => {
  if (count === 0) return single(emptyBatch())
  const tooLarge = count > limit
  const calls: (Call | InvalidCall)[] = []
  for (const { value, shape, isLong } of entries) {
    const call = parseCall(value, shape, isLong)
    // The first id shows the client which batch it was, so that the rest need not be read.
    if (tooLarge && call.id !== undefined) return single(batchTooLarge(limit), call.id)
    calls.push(call)
    if (calls.length > limit) return single(batchTooLarge(limit))
  }
  return { kind: 'batch', calls }
}

const parseCall = (value: unknown, shape: EnvelopeShape, isLong = false): Call | InvalidCall => {
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
  if (params === undefined || params === null) return { id: shape.id, method, params: [], isLong }
  if (Array.isArray(params)) return { id: shape.id, method, params, isLong }
  if (typeof params === 'object') return { id: shape.id, method, params: [params], isByName: true, isLong }
  return { id: shape.id, error: notByPosition() }
}

/** The error for `params` that are not a list. */
export const notByPosition = (): RpcError =>
  invalidParams('params must be an array: parameters are given by position')

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
