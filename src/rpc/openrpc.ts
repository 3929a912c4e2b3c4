import { z } from 'zod'
import { errorCodes } from './errors.ts'
import type { Method } from './method.ts'
import { type Access, namespaceOf, type WorkClass } from './methodKinds.ts'

/** The parts of an OpenRPC 1.3 document that are written here (https://spec.open-rpc.org). */
export interface OpenRpcDocument {
  readonly openrpc: '1.3.2'
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly methods: readonly OpenRpcMethod[]
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

export type JsonSchema = Readonly<Record<string, unknown>>

export interface OpenRpcMethod {
  readonly name: string
  readonly summary: string
  readonly tags: readonly { readonly name: string }[]
  readonly paramStructure: 'by-position'
  readonly params: readonly {
    readonly name: string
    readonly summary: string
    readonly required: boolean
    readonly schema: JsonSchema
  }[]
  readonly result: { readonly name: string; readonly schema: JsonSchema }
  readonly errors: readonly { readonly code: number; readonly message: string }[]
  readonly examples: readonly {
    readonly name: string
    readonly params: readonly { readonly name: string; readonly value: unknown }[]
    readonly result: { readonly name: string; readonly value: unknown }
  }[]
  readonly 'x-access': Access
  readonly 'x-work': WorkClass
}

/** Describes a table of methods. Schemas that have an id are written once, under `components`. */
export const createOpenRpcDocument = <Context>(
  methods: readonly Method<Context>[],
  version: string,
): OpenRpcDocument => {
  const schemas: Record<string, JsonSchema> = {}
  return {
    openrpc: '1.3.2',
    info: { title: 'Perihelion', description: 'Every method of this server.', version },
    methods: methods.map((method) => describeMethod(method, schemas)),
    components: { schemas },
  }
}

const describeMethod = <Context>(
  method: Method<Context>,
  schemas: Record<string, JsonSchema>,
): OpenRpcMethod => ({
  name: method.name,
  summary: method.summary,
  tags: [{ name: namespaceOf(method.name) }],
  paramStructure: 'by-position',
  params: method.params.map(({ name, about, required, type }) => ({
    name,
    summary: about,
    required,
    schema: toJsonSchema(type.schema, schemas),
  })),
  result: { name: method.result.name, schema: toJsonSchema(method.result.type.schema, schemas) },
  errors: errorsOf(method),
  examples: method.examples.map(({ name, params, result }) => ({
    name,
    params: params.map((value, position) => ({
      name: method.params[position]?.name ?? String(position),
      value,
    })),
    result: { name: method.result.name, value: result },
  })),
  'x-access': method.access,
  'x-work': method.work ?? 'cheap',
})

/** Returns the errors that any method of this access level may have. */
const errorsOf = <Context>({ access }: Method<Context>) => {
  const invalid = { code: errorCodes.invalidParams, message: 'an argument is missing, wrong or one too many' }
  if (access === 'public') return [invalid]
  return [invalid, { code: errorCodes.unauthorized, message: 'unauthorized' }]
}

/** Returns the JSON Schema of the wire form; its definitions are added to `schemas`. */
const toJsonSchema = (schema: z.ZodType, schemas: Record<string, JsonSchema>): JsonSchema => {
  const { $schema: _, definitions, ...root } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  for (const [id, definition] of Object.entries(definitions ?? {})) {
    const named = relocate(definition) as JsonSchema // an object stays one
    const known = schemas[id] ?? named
    if (JSON.stringify(known) !== JSON.stringify(named)) throw new Error(`two schemas have the id ${id}`)
    schemas[id] = named
  }
  return relocate(root) as JsonSchema
}

/** Points references at the document's components, and drops the wrapper that a decoded type leaves around one. */
const relocate = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(relocate)
  if (typeof node !== 'object' || node === null) return node
  const { allOf, $ref, ...rest } = node as { allOf?: readonly unknown[]; $ref?: unknown }
  const members = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, relocate(value)]))
  if (typeof $ref === 'string') members.$ref = $ref.replace('#/definitions/', '#/components/schemas/')
  if (allOf === undefined) return members
  const parts = allOf.map(relocate)
  return parts.length === 1 && Object.keys(members).length === 0 ? parts[0] : { ...members, allOf: parts }
}
