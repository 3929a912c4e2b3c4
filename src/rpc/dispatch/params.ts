import { abbreviate, invalidParams, type RpcError } from '../errors.ts'
import type { Method, Param } from '../method.ts'

/** Decodes the arguments for a method's handler. Returns an error that names the first invalid one. */
export const decodeParams = (method: Method<never>, given: readonly unknown[]): unknown[] | RpcError => {
  const { params } = method
  if (given.length > params.length) {
    return invalidParams(`too many arguments, want at most ${params.length}, got ${given.length}`)
  }
  // If one argument is a secret, no error shows a value, because clients do mix up the order of arguments.
  const isSecret = params.some(({ secret }) => secret)
  const args: unknown[] = new Array(params.length)
  for (let position = 0; position < params.length; position++) {
    const param = params[position] as Param // position is below the length
    const value = given[position]
    if (value === undefined || (value === null && !param.required)) {
      if (param.required)
        return invalidParams(`missing value for required argument ${position} (${param.name})`)
      continue
    }
    const decoded = param.type.schema.safeParse(value)
    if (!decoded.success) {
      const { path, message } = decoded.error.issues[0] ?? { path: [], message: 'not valid' }
      return invalidParams(paramError(param, position, path, message, isSecret ? undefined : { value }))
    }
    args[position] = decoded.data
  }
  return args
}

const paramError = (
  param: Param,
  position: number,
  path: readonly PropertyKey[],
  message: string,
  shown: { readonly value: unknown } | undefined,
): string => {
  const paramPath = [param.name, ...path.map(String)].join('.')
  const got = shown === undefined ? '' : `, got ${abbreviate(valueAt(shown.value, path))}`
  return `invalid argument ${position} (${paramPath}): ${message}${got}`
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((inner: unknown, key) => {
    const isOwnProperty = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
    return isOwnProperty ? (inner as Record<PropertyKey, unknown>)[key] : undefined
  }, value)
