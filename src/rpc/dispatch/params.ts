import { decodeValue } from '../decode.ts'
import { decodeLists } from '../decodeLists.ts'
import { DecodedLists } from '../elementDecoding.ts'
import { invalidParams, RpcError } from '../errors.ts'
import type { Method, Param } from '../method.ts'

/** Decodes the arguments for a method's handler. Returns an error that names the first invalid one. */
export const decodeParams = (method: Method<never>, given: readonly unknown[]): unknown[] | RpcError => {
  const { params } = method
  if (given.length > params.length) return tooManyArguments(method, given)
  const args: unknown[] = new Array(params.length)
  for (let position = 0; position < params.length; position++) {
    const error = decodeParam(params, position, given[position], args)
    if (error !== undefined) return error
  }
  return args
}

/** Decodes the same in pieces, and yields after each. */
export function* decodeLongParams(
  method: Method<never>,
  given: readonly unknown[],
): Generator<undefined, unknown[] | RpcError> {
  const { params } = method
  if (given.length > params.length) return tooManyArguments(method, given)
  const args: unknown[] = new Array(params.length)
  for (let position = 0; position < params.length; position++) {
    const lists = new DecodedLists()
    const { type } = params[position] as Param // position is below the length
    yield* decodeLists(type.schema, given[position], lists)
    const error = decodeParam(params, position, given[position], args, lists)
    if (error !== undefined) return error
    yield
  }
  return args
}

const tooManyArguments = ({ params }: Method<never>, given: readonly unknown[]): RpcError =>
  invalidParams(`too many arguments, want at most ${params.length}, got ${given.length}`)

/** Decodes one argument into its place. Returns its error if it is invalid. */
const decodeParam = (
  params: readonly Param[],
  position: number,
  value: unknown,
  args: unknown[],
  lists?: DecodedLists,
): RpcError | undefined => {
  const param = params[position] as Param // position is below the length
  if (value === undefined || (value === null && !param.required)) {
    if (!param.required) return undefined
    return invalidParams(`missing value for required argument ${position} (${param.name})`)
  }
  const usual = param.type.decodeUsual?.(value)
  if (usual !== undefined) {
    args[position] = usual
    return undefined
  }
  // If one argument is a secret, no error shows a value, because clients do mix up the order of arguments.
  const hidesValues = params.some(({ secret }) => secret)
  const decoded = decodeValue(param.type.schema, value, { position, name: param.name, hidesValues }, lists)
  if (decoded instanceof RpcError) return decoded
  args[position] = decoded.value
  return undefined
}
