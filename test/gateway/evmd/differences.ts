import type { RpcResponse } from '../../support/rpc/rpcClient.ts'
import type { RpcRequest } from './requests.ts'

export interface Difference extends RpcRequest {
  /** Where in the answer: `result.transactions.3.gasPrice`. */
  readonly at: string
  readonly ours: unknown
  readonly theirs: unknown
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Every member in which two answers differ; members of objects in any order. */
export const differences = (
  question: RpcRequest,
  ours: unknown,
  theirs: unknown,
  at = 'answer',
): Difference[] => {
  if (isObject(ours) && isObject(theirs) && Array.isArray(ours) === Array.isArray(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)])
    return [...keys].flatMap((key) => differences(question, ours[key], theirs[key], `${at}.${key}`))
  }
  return Object.is(ours, theirs) ? [] : [{ ...question, at, ours, theirs }]
}

/** Only what a caller reads: the envelope is not compared. */
export const toComparable = ({ result, error }: RpcResponse): unknown =>
  error === undefined ? { result } : { error }
