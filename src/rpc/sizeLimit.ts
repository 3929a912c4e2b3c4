import type { z } from 'zod'
import { RpcError } from './errors.ts'

export interface SizeLimit<Given> {
  readonly max: number
  /** The error for a value of another type. */
  readonly error?: string | undefined
  /** The message of -32602 for too many elements; "expected at most … of them" if undefined. */
  readonly message?: string | undefined
  /** Creates the error for too many elements, if it is not -32602. */
  readonly tooMany?: ((count: number) => RpcError) | undefined
  /** Checks what is nested, by its size alone, before any element is decoded. */
  readonly check?: ((given: Given) => RpcError | undefined) | undefined
  /** Decodes the usual form of an element without its schema, as in `WireType`. */
  readonly decodeUsual?: ((element: unknown) => unknown) | undefined
}

export type Issue = z.core.$ZodRawIssue

/** What the issue of a size carries: the error for the client, or the count for the usual one. */
interface SizeIssueParams {
  readonly rpcError?: RpcError
  readonly count?: number
}

/** Returns the error that the issue of a size prescribes, if any. */
export const rpcErrorOf = (issue: z.core.$ZodIssue): RpcError | undefined => {
  const { rpcError } = sizeParamsOf(issue)
  return rpcError instanceof RpcError ? rpcError : undefined
}

/** Returns the number of elements that were too many; undefined for every other issue. */
export const countOf = (issue: z.core.$ZodIssue): number | undefined => sizeParamsOf(issue).count

const sizeParamsOf = (issue: z.core.$ZodIssue): SizeIssueParams =>
  issue.code === 'custom' ? ((issue.params ?? {}) as SizeIssueParams) : {}

export const findSizeIssue = <Given>(
  { max, message = `expected at most ${max} of them`, tooMany, check }: SizeLimit<Given>,
  given: Given,
  count: number,
): Issue | undefined => {
  const rpcError = count > max ? tooMany?.(count) : check?.(given)
  if (count <= max && rpcError === undefined) return undefined
  const params: SizeIssueParams = rpcError === undefined ? { count } : { rpcError }
  return { code: 'custom', message, params, input: given, continue: true }
}
