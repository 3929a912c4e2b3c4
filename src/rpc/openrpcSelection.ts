import type { JsonSchema, OpenRpcDocument } from './openrpc.ts'

const referencePrefix = '#/components/schemas/'

/** Collects the names of the components that a part of a document refers to. */
const collectReferences = (node: unknown, found: Set<string>): void => {
  if (Array.isArray(node)) for (const part of node) collectReferences(part, found)
  else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref' && typeof value === 'string') found.add(value.slice(referencePrefix.length))
      else collectReferences(value, found)
    }
  }
}

/** Returns a document with some of the methods of another one, and the components that these need. */
export const selectMethods = (document: OpenRpcDocument, names: ReadonlySet<string>): OpenRpcDocument => {
  const methods = document.methods.filter(({ name }) => names.has(name))
  const needed = new Set<string>()
  collectReferences(
    methods.map(({ params, result }) => [params, result]),
    needed,
  )
  // A set is walked to its end, also what is added meanwhile.
  for (const name of needed) collectReferences(document.components.schemas[name], needed)
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).filter(([name]) => needed.has(name)),
  )
  return { ...document, methods, components: { schemas } }
}

/** Returns a document with the methods of two. */
export const joinDocuments = (first: OpenRpcDocument, second: OpenRpcDocument): OpenRpcDocument => {
  const schemas: Record<string, JsonSchema> = { ...first.components.schemas }
  for (const [id, schema] of Object.entries(second.components.schemas)) {
    if (schemas[id] !== undefined && JSON.stringify(schemas[id]) !== JSON.stringify(schema))
      throw new Error(`two schemas have the id ${id}`)
    schemas[id] = schema
  }
  return { ...first, methods: [...first.methods, ...second.methods], components: { schemas } }
}
