import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import {
  StatusRequestSchema,
  StatusResponseSchema,
} from '../../cosmos/gen/cosmos/base/node/v1beta1/query_pb.ts'
import { type DetectionContext, queryOptional } from './detectionQueries.ts'

/** Returns whether the state of a height is kept, by a query that every state answers. */
const hasState = async (
  { queries, signal }: DetectionContext,
  path: string,
  height: number,
): Promise<boolean> => {
  try {
    await queries.query(path, new Uint8Array(0), height, signal)
    return true
  } catch (error) {
    if (!(error instanceof NativeQueryError) || error.kind === 'unavailable') throw error
    return false
  }
}

/** Finds the lowest height whose state is kept by bisection, because pruning keeps all states from one height on. */
export const searchEarliestState = async (
  context: DetectionContext,
  path: string,
  from: number,
  to: number,
): Promise<number> => {
  let low = from
  let high = to
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await hasState(context, path, middle)) high = middle
    else low = middle + 1
  }
  return low
}

export interface HeightRange {
  readonly earliestHeight: number
  readonly latestHeight: number
}

/**
 * Returns the earliest state that the node reports or, if it reports none (SDK before 0.50, or never pruned), the
 * earliest at which it answers.
 */
export const detectEarliestState = async (
  context: DetectionContext,
  evmPackage: string,
  { earliestHeight, latestHeight }: HeightRange,
): Promise<number> => {
  const path = '/cosmos.base.node.v1beta1.Service/Status'
  const status = await queryOptional(context, path, StatusRequestSchema, StatusResponseSchema)
  const reported = Number(status?.earliestStoreHeight ?? 0n)
  if (reported > 0 && reported <= latestHeight) return reported
  return searchEarliestState(
    context,
    `/${evmPackage}.Query/Params`,
    Math.min(earliestHeight, latestHeight),
    latestHeight,
  )
}
