import {
  StatusRequestSchema,
  StatusResponseSchema,
} from '../../../cosmos/gen/cosmos/base/node/v1beta1/query_pb.ts'
import { NativeQueryError } from '../../client/nativeQueries.ts'
import { type DetectionContext, queryOptional } from './detectionQueries.ts'

/** Whether the state of a height is kept, by a question that any state answers. */
const hasState = async (
  { queries, signal }: DetectionContext,
  path: string,
  height: number,
): Promise<boolean> => {
  try {
    await queries.query(path, new Uint8Array(0), height, signal)
    return true
  } catch (error) {
    if (!(error instanceof NativeQueryError) || error.fault === 'unavailable') throw error
    return false
  }
}

/** The lowest height whose state is kept: pruning keeps all from one height on. */
const searchState = async (
  asking: DetectionContext,
  path: string,
  from: number,
  to: number,
): Promise<number> => {
  let low = from
  let high = to
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await hasState(asking, path, middle)) high = middle
    else low = middle + 1
  }
  return low
}

export interface KnownHeights {
  readonly earliestHeight: number
  readonly latestHeight: number
}

/** What the node says, or where it does not (SDK before 0.50, or one that never pruned), what it answers. */
export const detectEarliestState = async (
  asking: DetectionContext,
  evmPackage: string,
  { earliestHeight, latestHeight }: KnownHeights,
): Promise<number> => {
  const path = '/cosmos.base.node.v1beta1.Service/Status'
  const status = await queryOptional(asking, path, StatusRequestSchema, StatusResponseSchema)
  const told = Number(status?.earliestStoreHeight ?? 0n)
  if (told > 0 && told <= latestHeight) return told
  return searchState(
    asking,
    `/${evmPackage}.Query/Params`,
    Math.min(earliestHeight, latestHeight),
    latestHeight,
  )
}
