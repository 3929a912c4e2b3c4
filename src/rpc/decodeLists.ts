import type { z } from 'zod'
import { namesOf } from '../base/json/memberNames.ts'
import {
  type AnyList,
  type AnyRecord,
  type DecodedLists,
  ListDecoding,
  type ListDef,
  noMembers,
  RecordDecoding,
  type RecordDef,
} from './elementDecoding.ts'
import { findSizeIssue } from './sizeLimit.ts'

/** Lists of fewer elements are decoded with what they are in. */
const longList = 32

/** The elements that are decoded at once. */
const elementsAtOnce = 16

/** Decodes the long lists and records of a value that a schema is about to decode; yields after each few elements. */
export function* decodeLists(
  schema: z.core.$ZodType,
  given: unknown,
  lists: DecodedLists,
): Generator<undefined, void> {
  if (typeof given !== 'object' || given === null || !mayHoldLists(schema)) return
  const def = schema._zod.def as unknown as InnerDef
  if (def.limit !== undefined) {
    if (Array.isArray(given)) yield* decodeListIn(schema as z.ZodArray, given, lists)
    else if (def.keyType !== undefined)
      yield* decodeRecordIn(schema as z.ZodRecord, given as AnyRecord, lists)
    return
  }
  for (const inner of innerSchemas(def)) yield* decodeLists(inner, given, lists)
  for (const [key, member] of Object.entries(def.shape ?? {}))
    if (Object.hasOwn(given, key)) yield* decodeLists(member, (given as AnyRecord)[key], lists)
}

function* decodeListIn(schema: z.ZodArray, given: AnyList, lists: DecodedLists): Generator<undefined, void> {
  const def = schema._zod.def as ListDef
  if (findSizeIssue(def.limit, given, given.length) !== undefined) return
  const isLong = given.length >= longList
  const decoding = new ListDecoding(def, given, { async: false, lists } as z.core.ParseContextInternal)
  const hasInner = mayHoldLists(def.element)
  for (let at = 0; at < given.length; at += elementsAtOnce) {
    const until = Math.min(at + elementsAtOnce, given.length)
    if (hasInner)
      for (let index = at; index < until; index++) yield* decodeLists(def.element, given[index], lists)
    if (!isLong) continue
    const decoded = decoding.decode(until)
    if (decoded !== undefined) return lists.set(schema, given, decoded)
    yield
  }
}

function* decodeRecordIn(
  schema: z.ZodRecord,
  given: AnyRecord,
  lists: DecodedLists,
): Generator<undefined, void> {
  const def = schema._zod.def as RecordDef
  const keys = namesOf(given)
  yield
  const sizeIssue = findSizeIssue(def.limit, given, keys.length)
  // Kept too, because it takes long to count the members.
  if (sizeIssue !== undefined) return lists.set(schema, given, { value: noMembers(def), issue: sizeIssue })
  const isLong = keys.length >= longList
  const context = { async: false, lists } as z.core.ParseContextInternal
  const decoding = new RecordDecoding(schema, def, given, keys, context)
  const hasInner = mayHoldLists(def.valueType)
  for (let at = 0; at < keys.length; at += elementsAtOnce) {
    const until = Math.min(at + elementsAtOnce, keys.length)
    if (hasInner)
      for (let index = at; index < until; index++)
        yield* decodeLists(def.valueType, given[keys[index] as string], lists) // below their number
    if (!isLong) continue
    const decoded = decoding.decode(until)
    if (decoded !== undefined) return lists.set(schema, given, decoded)
    yield
  }
}

/** The schemas within a schema, by the names that zod's kinds of schemas have for them. */
interface InnerDef {
  readonly limit?: unknown
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly element?: z.core.$ZodType
  readonly keyType?: z.core.$ZodType
  readonly valueType?: z.core.$ZodType
}

/** Returns the schemas that are given the same value. */
const innerSchemas = ({ innerType, in: input, options = [] }: InnerDef): readonly z.core.$ZodType[] =>
  [innerType, input, ...options].filter((inner) => inner !== undefined)

const holders = new WeakMap<z.core.$ZodType, boolean>()

/** Returns whether there may be limited lists or records in what a schema describes. */
const mayHoldLists = (schema: z.core.$ZodType): boolean => {
  const known = holders.get(schema)
  if (known !== undefined) return known
  // Until it is known, for a schema that has itself as a part.
  holders.set(schema, false)
  const def = schema._zod.def as unknown as InnerDef
  const mayHold =
    def.limit !== undefined ||
    innerSchemas(def).some(mayHoldLists) ||
    Object.values(def.shape ?? {}).some(mayHoldLists)
  holders.set(schema, mayHold)
  return mayHold
}
