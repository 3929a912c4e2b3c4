import { decodeValue } from '../decode.ts'
import { invalidParams, RpcError } from '../errors.ts'
import type { Method, Param } from '../method.ts'

/** Decodes the arguments for a method's handler. Returns an error that names the first invalid one. */
export const decodeParams = (method: Method<never>, given: readonly unknown[]): unknown[] | RpcError => {
  const { params } = method
  if (given.length > params.length) {
    return invalidParams(`too many arguments, want at most ${params.length}, got ${given.length}`)
  }
  const args: unknown[] = new Array(params.length)
  for (let position = 0; position < params.length; position++) {
    const param = params[position] as Param // position is below the length
    const value = given[position]
    if (value === undefined || (value === null && !param.required)) {
      if (param.required)
        return invalidParams(`missing value for required argument ${position} (${param.name})`)
      continue
    }
    const usual = param.type.decodeUsual?.(value)
    if (usual !== undefined) {
      args[position] = usual
      continue
    }
    // If one argument is a secret, no error shows a value, because clients do mix up the order of arguments.
    const hidesValues = params.some(({ secret }) => secret)
    const decoded = decodeValue(param.type.schema, value, { position, name: param.name, hidesValues })
    if (decoded instanceof RpcError) return decoded
    args[position] = decoded.value
  }
  return args
}
