import { z } from 'zod'
import type { Issue, SizeLimit } from './sizeLimit.ts'
import { usualDecoderOf } from './wireType.ts'

export type AnyList = readonly unknown[]
export type AnyRecord = Readonly<Record<string, unknown>>

export interface ListDef extends z.core.$ZodArrayDef {
  readonly limit: SizeLimit<AnyList>
}

/** What the members of a record are collected to. */
export interface MemberCollector {
  /**
   * Adds a member in its usual form without the schemas of its name and its value, as `decodeUsual` in `WireType`. Returns false
   * for any other form.
   */
  readonly addUsual?: (key: string, given: unknown) => boolean
  add(key: string, value: unknown): void
  finish(): unknown
}

export interface RecordDef extends z.core.$ZodRecordDef {
  readonly limit: SizeLimit<AnyRecord>
  /** Creates a collector for so many members at most. */
  readonly collect: (count: number) => MemberCollector
}

/** Collects members to an object. */
export const toObject = (): MemberCollector => {
  const members: Record<string, unknown> = {}
  return {
    add: (key, value) => {
      members[key] = value
    },
    finish: () => members,
  }
}

/** Collects what `toEntry` makes of each member to a list. Of two names that differ only in case the last one counts, as in geth. */
export const toEntriesOf =
  <Value, Entry>(toEntry: (key: string, value: Value) => Entry) =>
  () => {
    const entries = new Map<string, Entry>()
    return {
      add: (key: string, value: unknown): void => {
        // The value is what its schema gives.
        entries.set(key.toLowerCase(), toEntry(key, value as Value))
      },
      finish: (): readonly Entry[] => [...entries.values()],
    }
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

/** What a list or a record was decoded to, as far as that went, and what is wrong with it. */
export interface Decoded {
  readonly value: unknown
  readonly issue: Issue | undefined
}

/**
 * The decoded values of lists and records that are too long to be decoded at once. `decodeLists` finds them before the schema
 * of a parameter runs, which then takes them from here: what is an error, and which comes first, stays with the schemas.
 */
export class DecodedLists {
  readonly #byValue = new Map<object, Map<z.core.$ZodType, Decoded>>()

  get(schema: z.core.$ZodType, given: object): Decoded | undefined {
    return this.#byValue.get(given)?.get(schema)
  }

  set(schema: z.core.$ZodType, given: object, decoded: Decoded): void {
    const bySchema = this.#byValue.get(given)
    if (bySchema === undefined) this.#byValue.set(given, new Map([[schema, decoded]]))
    else bySchema.set(schema, decoded)
  }
}

/** How zod passes them to the schemas. */
export interface DecodingContext extends z.core.ParseContext<z.core.$ZodIssue> {
  readonly lists?: DecodedLists
}

/** Decodes the elements of a list one by one. */
export class ListDecoding {
  readonly #def: ListDef
  readonly #given: AnyList
  readonly #context: z.core.ParseContextInternal
  readonly #decodeUsual: ((element: unknown) => unknown) | undefined
  readonly #values: unknown[] = []

  constructor(def: ListDef, given: AnyList, context: z.core.ParseContextInternal) {
    this.#def = def
    this.#given = given
    this.#context = context
    this.#decodeUsual = def.limit.decodeUsual ?? usualDecoderOf(def.element)
  }

  /** Decodes the next elements up to an index; returns what the list is if it ends there. */
  decode(until: number): Decoded | undefined {
    for (let index = this.#values.length; index < until; index++) {
      const given = this.#given[index]
      const usual = this.#decodeUsual?.(given)
      if (usual !== undefined) {
        this.#values.push(usual)
        continue
      }
      const { element } = this.#def
      const issue = decodeElement(element, given, this.#context, (value) => this.#values.push(value))
      if (issue !== undefined) return { value: [], issue: placeIssue(issue, index) }
    }
    return until >= this.#given.length ? { value: this.#values, issue: undefined } : undefined
  }
}

/** Decodes the members of a record one by one. */
export class RecordDecoding {
  readonly #inst: z.ZodRecord
  readonly #def: RecordDef
  readonly #given: AnyRecord
  readonly #keys: readonly string[]
  readonly #context: z.core.ParseContextInternal
  readonly #decodeUsual: ((element: unknown) => unknown) | undefined
  readonly #collector: MemberCollector
  #next = 0

  constructor(
    inst: z.ZodRecord,
    def: RecordDef,
    given: AnyRecord,
    keys: readonly string[],
    context: z.core.ParseContextInternal,
  ) {
    this.#inst = inst
    this.#def = def
    this.#given = given
    this.#keys = keys
    this.#context = context
    this.#decodeUsual = def.limit.decodeUsual ?? usualDecoderOf(def.valueType)
    this.#collector = def.collect(keys.length)
  }

  decode(until: number): Decoded | undefined {
    for (; this.#next < until; this.#next++) {
      const key = this.#keys[this.#next] as string // below their number
      // It would be the object's prototype and not a member.
      if (key === '__proto__') continue
      const issue = this.#decodeMember(key)
      if (issue !== undefined) return { value: noMembers(this.#def), issue: placeIssue(issue, key) }
    }
    if (until < this.#keys.length) return undefined
    return { value: this.#collector.finish(), issue: undefined }
  }

  #decodeMember(key: string): Issue | undefined {
    const given = this.#given[key]
    const collector = this.#collector
    if (collector.addUsual?.(key, given) === true) return undefined
    const keyIssue = decodeElement(this.#def.keyType, key, this.#context, () => {})
    if (keyIssue !== undefined) return invalidKey(keyIssue, this.#given, this.#inst)
    const usual = this.#decodeUsual?.(given)
    if (usual === undefined)
      return decodeElement(this.#def.valueType, given, this.#context, (value) => collector.add(key, value))
    collector.add(key, usual)
    return undefined
  }
}

export const noMembers = ({ collect }: RecordDef): unknown => collect(0).finish()

/** Returns the issue of an invalid name: the record's own error says which names are valid. */
const invalidKey = (issue: Issue, input: unknown, inst: z.ZodRecord): Issue => {
  const issues = [z.core.util.finalizeIssue(issue, undefined, z.core.config())]
  return { code: 'invalid_key', origin: 'record', issues, input, inst }
}
