import type { OpenRpcDocument } from '../src/rpc/openrpc.ts'

/** The part of JSON Schema that the table of methods makes. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
  readonly not?: unknown
}

const refPrefix = '#/components/schemas/'

const quote = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`)

const union = (types: readonly string[]): string => {
  const different = [...new Set(types)]
  return different.includes('unknown') ? 'unknown' : different.join(' | ')
}

/** Puts a type in parentheses where an operator stands beside it. */
const operand = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type)

const objectType = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
  const members = Object.entries(properties).map(([name, schema]) =>
    required.includes(name)
      ? `${quote(name)}: ${typeOf(schema)}`
      : `${quote(name)}?: ${union([typeOf(schema), 'undefined'])}`,
  )
  if (members.length > 0) return `{ ${members.join('; ')} }`
  return `Record<string, ${additionalProperties === undefined ? 'unknown' : typeOf(additionalProperties)}>`
}

const namedType = (name: string, schema: Schema): string => {
  switch (name) {
    case 'string':
      return schema.pattern?.startsWith('^0x') ? 'Hex' : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return name
    case 'array':
      return `${operand(schema.items === undefined ? 'unknown' : typeOf(schema.items))}[]`
    case 'object':
      return objectType(schema)
    default:
      throw new Error(`a schema has the type ${name}, which scripts/methodTypes.ts does not know`)
  }
}

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return schema.$ref.slice(refPrefix.length)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)))
  if (schema.anyOf !== undefined) return union(schema.anyOf.map(typeOf))
  const parts = (schema.allOf ?? []).map(typeOf)
  if (schema.type !== undefined)
    parts.push(union([schema.type].flat().map((name) => namedType(name, schema))))
  // A schema that only rejects something says nothing about the type.
  const known = parts.filter((type) => type !== 'unknown' && type !== 'Record<string, unknown>')
  return known.length === 0
    ? (parts[0] ?? 'unknown')
    : known.length === 1
      ? (known[0] ?? '')
      : known.map(operand).join(' & ')
}

/** A name that may label an element of a tuple. */
const label = (name: string): string => name.replace(/\W/g, '_')

/** Returns the TypeScript types of every method's parameters and result, for the library's `request`. */
export const renderMethodTypes = ({ methods, components }: OpenRpcDocument): string => {
  const schemas = Object.entries(components.schemas as Readonly<Record<string, Schema>>).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)}`,
  )
  const members = methods.map(({ name, params, result }) => {
    const elements = params.map((param) =>
      param.required
        ? `${label(param.name)}: ${typeOf(param.schema as Schema)}`
        : `${label(param.name)}?: ${union([typeOf(param.schema as Schema), 'null', 'undefined'])}`,
    )
    return `  ${quote(name)}: { params: readonly [${elements.join(', ')}]; result: ${typeOf(result.schema as Schema)} }`
  })
  return [
    '// Made by `npm run generate`.',
    '',
    `type Hex = \`0x\${string}\``,
    '',
    ...schemas,
    '',
    '/** The parameters and the result of each method, by its name. */',
    'export interface MethodTypes {',
    ...members,
    '}',
    '',
  ].join('\n')
}
