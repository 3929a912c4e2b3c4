import type { CallRequest } from '../chain/port/executor.ts'

/**
 * What a call may bring to the main thread, in members: an account or a slot takes some microseconds before any gas is used, and
 * so do 256 bytes, which may be hashed.
 */
const mostMembers = 1_000
const bytesPerMember = 256

/** Returns whether a call brings so much that even its beginning takes long. */
export const isLargeCall = ({ request, stateOverrides }: CallRequest): boolean => {
  const { data, accessList, authorizationList, blobs } = request
  const isPlain = stateOverrides === undefined && accessList === undefined && authorizationList === undefined
  // As nearly all are.
  if (isPlain && blobs === undefined) return (data?.length ?? 0) > mostMembers * bytesPerMember
  return isLarge([request, stateOverrides])
}

/** Returns whether plain data is so large. */
export const isLarge = (value: unknown): boolean => weigh(value, mostMembers) > mostMembers

/** Counts members at any depth; ends when there are more than `most`. */
const weigh = (value: unknown, most: number): number => {
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Uint8Array) return value.length / bytesPerMember
  let weight = 0
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    weight += 1 + weigh(member, most - weight)
    if (weight > most) break
  }
  return weight
}
