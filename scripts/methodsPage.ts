import type { JsonSchema, OpenRpcDocument, OpenRpcMethod } from '../src/rpc/openrpc.ts'

/** The page `docs/methods.md`: the OpenRPC document for people. */
export const renderMethodsPage = (document: OpenRpcDocument, isReady: (name: string) => boolean): string => {
  const namespaces = [...new Set(document.methods.map(namespaceOf))].sort()
  const lines = [
    '# Methods',
    '',
    'Made from the method table by `npm run generate`; `openrpc.json` beside it is the same for programs.',
    document.methods.every(({ name }) => isReady(name))
      ? `${document.methods.length} methods.`
      : `${document.methods.length} methods. *Not yet* marks those that answer -32004 until the part of the node behind them is there.`,
    '',
    'Access: *public* methods are for everybody; *private* ones need a token or the IPC socket; *signing* ones work for',
    'unlocked accounts, and for callers on this machine, over IPC or with a token.',
    '',
    ...namespaces.map(
      (name) => `- [${name}](#${name}): ${document.methods.filter((m) => namespaceOf(m) === name).length}`,
    ),
    '- [types](#types)',
    '',
    ...namespaces.flatMap((name) => [
      `## ${name}`,
      '',
      ...document.methods
        .filter((method) => namespaceOf(method) === name)
        .flatMap((m) => renderMethod(m, isReady(m.name))),
    ]),
    '## types',
    '',
    ...Object.entries(document.components.schemas)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, schema]) => renderType(name, schema)),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

const namespaceOf = (method: OpenRpcMethod): string => method.tags[0]?.name ?? ''

const renderMethod = (method: OpenRpcMethod, isReady: boolean): string[] => {
  const signature = method.params.map(({ name, required }) => (required ? name : `${name}?`)).join(', ')
  const { 'x-access': access, 'x-work': work } = method
  const marks = [access, ...(work === 'cheap' ? [] : [work]), ...(isReady ? [] : ['not yet'])]
    .map((mark) => `*${mark}*`)
    .join(' · ')
  const lines = [
    `### ${method.name}`,
    '',
    `\`${method.name}(${signature})\` → ${method.result.name}: ${label(method.result.schema)} · ${marks}`,
    '',
    method.summary,
    '',
  ]
  if (method.params.length > 0) {
    lines.push('| parameter | type | required | |', '|---|---|---|---|')
    for (const { name, schema, required, summary } of method.params) {
      lines.push(row(`\`${name}\``, label(schema), required ? 'yes' : 'no', summary))
    }
    lines.push('')
  }
  for (const example of method.examples) {
    const params = example.params.map(({ value }) => value)
    lines.push(
      `Example, ${example.name}:`,
      '',
      '```',
      ...call(method.name, params, example.result.value),
      '```',
      '',
    )
  }
  return lines
}

const call = (method: string, params: readonly unknown[], result: unknown): string[] => [
  `>> ${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}`,
  `<< ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}`,
]

const renderType = (name: string, schema: JsonSchema): string[] => {
  const lines = [`### ${name}`, '']
  if (typeof schema.description === 'string') lines.push(`${capital(schema.description)}.`, '')
  if (typeof schema.pattern === 'string') lines.push(`Pattern: \`${schema.pattern}\``, '')
  const properties = schema.properties as Readonly<Record<string, JsonSchema>> | undefined
  if (properties === undefined)
    return [...lines, ...(schema.pattern === undefined ? [`Is: ${label(schema)}`, ''] : [])]
  const required = new Set(schema.required as readonly string[] | undefined)
  lines.push('| member | type | required | |', '|---|---|---|---|')
  for (const [member, inner] of Object.entries(properties)) {
    lines.push(row(`\`${member}\``, label(inner), required.has(member) ? 'yes' : 'no', describe(inner)))
  }
  return [...lines, '']
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A bar would end the cell. */
const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

/** The words about a member, wherever the writer put them. */
const describe = (schema: JsonSchema): string => {
  if (typeof schema.description === 'string') return schema.description
  const choices = (schema.anyOf ?? []) as readonly JsonSchema[]
  return choices.map(describe).find((text) => text !== '') ?? ''
}

/** A type in a few words, with links to the types below. */
const label = (schema: JsonSchema): string => {
  const { $ref, allOf, anyOf, type, items, title, additionalProperties } = schema
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return `[${name}](#${name.toLowerCase()})`
  }
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')
  const parts = (allOf ?? anyOf) as readonly JsonSchema[] | undefined
  if (parts !== undefined) return [...new Set(parts.map(label))].join(' or ')
  if (type === 'array') {
    const inner = label((items ?? {}) as JsonSchema)
    return inner.includes(' or ') ? `array of (${inner})` : `array of ${inner}`
  }
  if (Array.isArray(type)) return type.join(' or ')
  if (type === 'object' && typeof additionalProperties === 'object' && additionalProperties !== null) {
    const inner = label(additionalProperties as JsonSchema)
    return inner === 'anything' ? 'object' : `map to ${inner}`
  }
  if (typeof title === 'string') return title
  return typeof type === 'string' ? type : 'anything'
}
