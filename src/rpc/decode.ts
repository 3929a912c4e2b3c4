import type { z } from 'zod'
import type { DecodedLists, DecodingContext } from './elementDecoding.ts'
import { abbreviate, invalidParams, type RpcError, shorten } from './errors.ts'
import { countOf, rpcErrorOf } from './sizeLimit.ts'

/** How a value is named in an error. */
export interface DecodedPlace {
  readonly position: number
  readonly name: string
  /** Whether the value is a secret or beside one, so that it is not shown. */
  readonly hidesValues?: boolean
}

/** Decodes a value that a client sent; returns it in an object, or an error that names the first part that is wrong. */
export const decodeValue = <T>(
  schema: z.ZodType<T>,
  value: unknown,
  place: DecodedPlace,
  lists?: DecodedLists,
): { readonly value: T } | RpcError => {
  const context: DecodingContext | undefined = lists && { lists }
  const decoded = schema.safeParse(value, context)
  if (decoded.success) return { value: decoded.data }
  const [issue] = decoded.error.issues
  return issue === undefined ? invalidParams('not valid') : toError(issue, value, place)
}

const toError = (
  issue: z.core.$ZodIssue,
  value: unknown,
  { position, name, hidesValues = false }: DecodedPlace,
): RpcError => {
  const rpcError = rpcErrorOf(issue)
  if (rpcError !== undefined) return rpcError
  const path = [name, ...issue.path.map(shortKey)].join('.')
  const got = hidesValues ? '' : `, got ${countOf(issue) ?? abbreviate(valueAt(value, issue.path))}`
  return invalidParams(`invalid argument ${position} (${path}): ${issue.message}${got}`)
}

const maxKeyLength = 80

const shortKey = (key: PropertyKey): string => shorten(String(key), maxKeyLength)

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((inner: unknown, key) => {
    const isOwnProperty = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
    return isOwnProperty ? (inner as Record<PropertyKey, unknown>)[key] : undefined
  }, value)
