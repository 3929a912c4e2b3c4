import { z } from 'zod'
import { RpcError } from './errors.ts'

/**
 * Lists and records of clients. Their size is checked before any element is looked at, and decoding ends at the first
 * element that is wrong, so that a hostile value costs no more than a valid one of the same size. zod's own collect an issue
 * for each element: 200,000 wrong ones took minutes and gigabytes.
 */

export interface SizeLimit<Given> {
  readonly max: number
  /** The error for a value of another type. */
  readonly error?: string | undefined
  /** The message of -32602 for too many elements; "expected at most … of them" if undefined. */
  readonly message?: string | undefined
  /** Creates the error for too many elements, if it is not -32602. */
  readonly tooMany?: ((count: number) => RpcError) | undefined
  /** Checks what is nested, by its size alone, before any element is decoded. */
  readonly check?: ((given: Given) => RpcError | undefined) | undefined
}

type AnyList = readonly unknown[]
type AnyRecord = Readonly<Record<string, unknown>>

interface ListDef extends z.core.$ZodArrayDef {
  readonly limit: SizeLimit<AnyList>
}

interface RecordDef extends z.core.$ZodRecordDef {
  readonly limit: SizeLimit<AnyRecord>
}

type Issue = z.core.$ZodRawIssue

/** What the issue of a size carries: the error for the client, or the count for the usual one. */
interface SizeIssueParams {
  readonly rpcError?: RpcError
  readonly count?: number
}

/** Returns the error that the issue of a size prescribes, if any. */
export const rpcErrorOf = (issue: z.core.$ZodIssue): RpcError | undefined => {
  const { rpcError } = sizeParamsOf(issue)
  return rpcError instanceof RpcError ? rpcError : undefined
}

/** Returns the number of elements that were too many; undefined for every other issue. */
export const countOf = (issue: z.core.$ZodIssue): number | undefined => sizeParamsOf(issue).count

const sizeParamsOf = (issue: z.core.$ZodIssue): SizeIssueParams =>
  issue.code === 'custom' ? ((issue.params ?? {}) as SizeIssueParams) : {}

const findSizeIssue = <Given>(
  { max, message = `expected at most ${max} of them`, tooMany, check }: SizeLimit<Given>,
  given: Given,
  count: number,
): Issue | undefined => {
  const rpcError = count > max ? tooMany?.(count) : check?.(given)
  if (count <= max && rpcError === undefined) return undefined
  const params: SizeIssueParams = rpcError === undefined ? { count } : { rpcError }
  return { code: 'custom', message, params, input: given, continue: true }
}

/**
 * Returns the issue of an element as one of its list. It lets the checks of what is around continue, which find an empty
 * list there: in a union it is then shown rather than the union's own error, which could not name the element.
 */
const placeIssue = (issue: Issue, key: PropertyKey): Issue => ({
  ...issue,
  path: [key, ...(issue.path ?? [])],
  continue: true,
})

/** Runs the schema of an element; returns the first issue, or undefined if `accept` was given its value. */
const decodeElement = (
  schema: z.core.$ZodType,
  value: unknown,
  context: z.core.ParseContextInternal,
  accept: (value: unknown) => void,
): Issue | undefined => {
  const decoded = schema._zod.run({ value, issues: [] }, context)
  if (decoded instanceof Promise) throw new z.core.$ZodAsyncError()
  if (decoded.issues.length === 0) accept(decoded.value)
  return decoded.issues[0]
}

const LimitedList = z.core.$constructor<z.ZodArray, ListDef>('LimitedList', (inst, def) => {
  z.ZodArray.init(inst, def)
  const describe = inst._zod.processJSONSchema
  inst._zod.processJSONSchema = (context, json, params) => {
    describe?.(context, json, params)
    Object.assign(json, { maxItems: def.limit.max })
  }
  inst._zod.parse = (payload, context) => {
    const given: unknown = payload.value
    if (!Array.isArray(given)) {
      payload.value = []
      payload.issues.push({ code: 'invalid_type', expected: 'array', input: given, inst, continue: false })
      return payload
    }
    payload.value = []
    const sizeIssue = findSizeIssue(def.limit, given, given.length)
    if (sizeIssue !== undefined) {
      payload.issues.push(sizeIssue)
      return payload
    }
    const decoded: unknown[] = []
    for (let index = 0; index < given.length; index++) {
      const issue = decodeElement(def.element, given[index], context, (value) => decoded.push(value))
      if (issue === undefined) continue
      payload.issues.push(placeIssue(issue, index))
      return payload
    }
    payload.value = decoded
    return payload
  }
})

const LimitedRecord = z.core.$constructor<z.ZodRecord, RecordDef>('LimitedRecord', (inst, def) => {
  z.ZodRecord.init(inst, def)
  const describe = inst._zod.processJSONSchema
  inst._zod.processJSONSchema = (context, json, params) => {
    describe?.(context, json, params)
    Object.assign(json, { maxProperties: def.limit.max })
  }
  inst._zod.parse = (payload, context) => {
    const given: unknown = payload.value
    if (!isRecord(given)) {
      payload.value = {}
      payload.issues.push({ code: 'invalid_type', expected: 'record', input: given, inst, continue: false })
      return payload
    }
    const keys = Object.keys(given)
    payload.value = {}
    const sizeIssue = findSizeIssue(def.limit, given, keys.length)
    if (sizeIssue !== undefined) {
      payload.issues.push(sizeIssue)
      return payload
    }
    const decoded: Record<string, unknown> = {}
    for (const key of keys) {
      // It would be the object's prototype and not a member.
      if (key === '__proto__') continue
      const keyIssue = decodeElement(def.keyType, key, context, () => {})
      const issue =
        keyIssue === undefined
          ? decodeElement(def.valueType, given[key], context, (value) => (decoded[key] = value))
          : invalidKey(keyIssue, given, inst)
      if (issue === undefined) continue
      payload.issues.push(placeIssue(issue, key))
      return payload
    }
    payload.value = decoded
    return payload
  }
})

const isRecord = (value: unknown): value is AnyRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the issue of a name that is none: the record's own error says what the names are. */
const invalidKey = (issue: Issue, input: unknown, inst: z.ZodRecord): Issue => {
  const issues = [z.core.util.finalizeIssue(issue, undefined, z.core.config())]
  return { code: 'invalid_key', origin: 'record', issues, input, inst }
}

/** Returns the schema of a list of at most `max` elements. The limit is `maxItems` in the OpenRPC document. */
export const limitedList = <Element extends z.ZodType>(
  element: Element,
  limit: SizeLimit<AnyList>,
): z.ZodArray<Element> => {
  const { error } = limit
  const def = {
    type: 'array' as const,
    element,
    limit,
    ...(error === undefined ? {} : { error: () => error }),
  }
  // The constructor knows elements of any type only; these are of the given one.
  return new LimitedList(def) as unknown as z.ZodArray<Element>
}

/** Returns the schema of an object of at most `max` members with any names that `key` allows; `maxProperties`. */
export const limitedRecord = <Key extends z.ZodString, Value extends z.ZodType>(
  keyType: Key,
  valueType: Value,
  limit: SizeLimit<AnyRecord>,
): z.ZodRecord<Key, Value> => {
  const { error } = limit
  const def = {
    type: 'record' as const,
    keyType,
    valueType,
    limit,
    ...(error === undefined ? {} : { error: () => error }),
  }
  // As above.
  return new LimitedRecord(def) as unknown as z.ZodRecord<Key, Value>
}
