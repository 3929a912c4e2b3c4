import { randomBytes } from 'node:crypto'
import { toBigInt } from '../../base/encoding/bytes.ts'

const idBytes = 16
const replicaBytes = 2
const replicaShift = BigInt(8 * (idBytes - replicaBytes))

/** Returns a new id of a filter. Where there are replicas, its first two bytes are the number of the one that keeps it. */
export const createFilterId = (replica: number | undefined): bigint => {
  if (replica === undefined) return toBigInt(randomBytes(idBytes))
  return (BigInt(replica) << replicaShift) | toBigInt(randomBytes(idBytes - replicaBytes))
}

/** Returns the number of the replica that keeps a filter. */
export const replicaOf = (id: bigint): number => Number(id >> replicaShift)
