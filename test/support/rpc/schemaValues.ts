import type { JsonSchema, OpenRpcDocument } from '../../../src/rpc/openrpc.ts'

/** A list or a record in a parameter of a method. */
export interface ListPlace {
  /** Such as `transaction.accessList[].storageKeys`. */
  readonly path: string
  readonly kind: 'list' | 'record'
  /** `maxItems` or `maxProperties`; undefined if the schema has none. */
  readonly max: number | undefined
  /** The schema of an element. */
  readonly element: JsonSchema
  /** The schema of a name; undefined for a list. */
  readonly key: JsonSchema | undefined
  /** Returns a valid argument but for this value at the place. */
  wrap(value: unknown): unknown
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

const zeros = (digits: number): string => `0x${'0'.repeat(digits)}`

/** A text for each form of string that the methods know. */
const texts = [
  '0x0',
  '0x',
  zeros(40),
  zeros(64),
  zeros(16),
  zeros(512),
  'latest',
  '0'.repeat(64),
  '0'.repeat(32),
  '5s',
  `${'0'.repeat(40)}@127.0.0.1:26656`,
  'name',
  'name=1',
  'bc1qqqqqqqq',
  '',
]

/** Reads the schemas of an OpenRPC document: valid values, and where there are lists. */
export class SchemaValues {
  readonly #schemas: Readonly<Record<string, JsonSchema>>

  constructor({ components }: OpenRpcDocument) {
    this.#schemas = components.schemas
  }

  /** Follows references, and joins what `allOf` has apart. */
  resolve(schema: JsonSchema): JsonSchema {
    const { $ref, allOf, ...rest } = schema as { $ref?: string; allOf?: readonly JsonSchema[] }
    if (typeof $ref === 'string') return this.resolve(this.#schemas[$ref.split('/').at(-1) ?? ''] ?? {})
    if (allOf === undefined) return schema
    return Object.assign({}, ...allOf.map((part) => this.resolve(part)), rest) as JsonSchema
  }

  /** Returns the schemas of which a value has to match one. */
  choices(schema: JsonSchema): readonly JsonSchema[] {
    const resolved = this.resolve(schema)
    const { anyOf } = resolved
    return Array.isArray(anyOf) ? anyOf.flatMap((choice: JsonSchema) => this.choices(choice)) : [resolved]
  }

  /** Returns a small valid value. */
  sample(schema: JsonSchema): unknown {
    const [chosen = {}] = this.choices(schema)
    const { type, pattern, minimum, minItems, items } = chosen
    if (Array.isArray(chosen.enum)) return chosen.enum[0]
    if ('const' in chosen) return chosen.const
    switch (Array.isArray(type) ? type[0] : type) {
      case 'string':
        return typeof pattern === 'string' ? sampleText(pattern) : ''
      case 'integer':
      case 'number':
        return typeof minimum === 'number' ? minimum : 0
      case 'boolean':
        return false
      case 'array':
        return Array.from({ length: Number(minItems ?? 0) }, () => this.sample(isSchema(items) ? items : {}))
      case 'object':
        return this.sampleObject(chosen)
      default:
        return null
    }
  }

  /** Returns an object with the members that are required. */
  sampleObject({ required, properties }: JsonSchema): Record<string, unknown> {
    const names = Array.isArray(required) ? (required as string[]) : []
    const schemas = (properties ?? {}) as Readonly<Record<string, JsonSchema>>
    return Object.fromEntries(names.map((name) => [name, this.sample(schemas[name] ?? {})]))
  }

  /** Returns every list and record of a parameter. */
  lists(name: string, schema: JsonSchema): readonly ListPlace[] {
    return [...this.#walk(schema, name, (value) => value)]
  }

  *#walk(schema: JsonSchema, path: string, wrap: (value: unknown) => unknown): Generator<ListPlace> {
    for (const choice of this.choices(schema)) {
      const { items, maxItems, maxProperties, properties, additionalProperties, propertyNames } = choice
      if (isSchema(items)) {
        yield { path, kind: 'list', max: asNumber(maxItems), element: items, key: undefined, wrap }
        yield* this.#walk(items, `${path}[]`, (value) => wrap([value]))
      }
      const base = this.sampleObject(choice)
      for (const [name, member] of Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>))
        yield* this.#walk(member, `${path}.${name}`, (value) => wrap({ ...base, [name]: value }))
      if (!isSchema(additionalProperties)) continue
      const key = isSchema(propertyNames) ? propertyNames : {}
      yield { path, kind: 'record', max: asNumber(maxProperties), element: additionalProperties, key, wrap }
      const oneName = String(this.sample(key))
      yield* this.#walk(additionalProperties, `${path}.*`, (value) => wrap({ [oneName]: value }))
    }
  }
}

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

const sampleText = (pattern: string): string => {
  const form = new RegExp(pattern)
  const found = texts.find((text) => form.test(text))
  if (found === undefined) throw new Error(`no sample text matches ${pattern}`)
  return found
}
