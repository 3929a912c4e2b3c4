import { z } from 'zod'
import { namesOf } from '../base/json/memberNames.ts'
import {
  type AnyList,
  type AnyRecord,
  type Decoded,
  type DecodingContext,
  ListDecoding,
  type ListDef,
  type MemberCollector,
  noMembers,
  RecordDecoding,
  type RecordDef,
  toEntriesOf,
  toObject,
} from './elementDecoding.ts'
import { findSizeIssue, type SizeLimit } from './sizeLimit.ts'

/**
 * Lists and records of clients. Their size is checked before any element is looked at, and decoding ends at the first
 * element that is wrong, so that a hostile value costs no more than a valid one of the same size. zod's own collect an issue
 * for each element: 200,000 wrong ones took minutes and gigabytes.
 */

const knownOf = (
  context: z.core.ParseContextInternal,
  schema: z.core.$ZodType,
  given: object,
): Decoded | undefined => (context as DecodingContext).lists?.get(schema, given)

const emitDecoded = (payload: z.core.ParsePayload, { value, issue }: Decoded): z.core.ParsePayload => {
  payload.value = value
  if (issue !== undefined) payload.issues.push(issue)
  return payload
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
    const known = knownOf(context, inst, given)
    if (known !== undefined) return emitDecoded(payload, known)
    const issue = findSizeIssue(def.limit, given, given.length)
    const decoded =
      issue === undefined ? new ListDecoding(def, given, context).decode(given.length) : undefined
    return emitDecoded(payload, decoded ?? { value: [], issue })
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
    const known = knownOf(context, inst, given)
    if (known !== undefined) return emitDecoded(payload, known)
    const keys = namesOf(given)
    const issue = findSizeIssue(def.limit, given, keys.length)
    const decoded =
      issue === undefined
        ? new RecordDecoding(inst, def, given, keys, context).decode(keys.length)
        : undefined
    return emitDecoded(payload, decoded ?? { value: noMembers(def), issue })
  }
})

const isRecord = (value: unknown): value is AnyRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
    collect: toObject,
    ...(error === undefined ? {} : { error: () => error }),
  }
  // As above.
  return new LimitedRecord(def) as unknown as z.ZodRecord<Key, Value>
}

/**
 * Returns the same schema with a list as its value, of what `toEntry` makes of each member. Of names that differ only in case
 * the last one counts.
 */
export const limitedEntries = <Value extends z.ZodType, Entry>(
  keyType: z.ZodString,
  valueType: Value,
  toEntry: (key: string, value: z.output<Value>) => Entry,
  limit: SizeLimit<AnyRecord>,
): z.ZodType<readonly Entry[]> => collectedRecord(keyType, valueType, toEntriesOf(toEntry), limit)

/** Returns the same schema with what `collect` makes of the members as its value. */
export const collectedRecord = <Collected>(
  keyType: z.ZodString,
  valueType: z.ZodType,
  collect: (count: number) => MemberCollector & { finish(): Collected },
  limit: SizeLimit<AnyRecord>,
): z.ZodType<Collected> => {
  const { error } = limit
  const def = {
    type: 'record' as const,
    keyType,
    valueType,
    limit,
    collect,
    ...(error === undefined ? {} : { error: () => error }),
  }
  // The values of the members are what their schema gives.
  return new LimitedRecord(def) as unknown as z.ZodType<Collected>
}
