import { methodNotFound, namespaceDisabled, RpcError } from '../errors.ts'
import type { Method } from '../method.ts'
import { namespaceOf } from '../methodKinds.ts'

/** The methods of a server, frozen when it starts. */
export interface MethodTable<Context> {
  readonly methods: readonly Method<Context>[]
  readonly enabled: readonly Method<Context>[]
  /** The enabled namespaces, sorted. */
  readonly namespaces: readonly string[]
  /** Returns the method, or the error that says whether it does not exist or its namespace is off. */
  find(name: string): Method<Context> | RpcError
}

/** The namespace that describes the server itself and is always enabled. */
const alwaysOn = 'rpc'

export const createMethodTable = <Context>(
  methods: readonly Method<Context>[],
  enabledNamespaces: readonly string[],
): MethodTable<Context> => {
  // A Map, because it has no inherited names such as `constructor` and `__proto__`.
  const byName = new Map<string, Method<Context>>()
  for (const method of methods) {
    if (byName.has(method.name)) throw new Error(`the method ${method.name} is in the table twice`)
    byName.set(method.name, method)
  }
  const on = new Set([alwaysOn, ...enabledNamespaces])
  const enabledByName = new Map([...byName].filter(([name]) => on.has(namespaceOf(name))))
  return Object.freeze({
    methods: Object.freeze([...methods]),
    enabled: Object.freeze([...enabledByName.values()]),
    namespaces: Object.freeze([...on].sort()),
    find: (name: string) => {
      const method = enabledByName.get(name)
      if (method !== undefined) return method
      return byName.has(name) ? namespaceDisabled(name, namespaceOf(name)) : methodNotFound(name)
    },
  })
}

export const namespacesOf = <Context>(methods: readonly Method<Context>[]): string[] =>
  [...new Set(methods.map(({ name }) => namespaceOf(name)))].sort()

export const isMethod = <Context>(found: Method<Context> | RpcError): found is Method<Context> =>
  !(found instanceof RpcError)
