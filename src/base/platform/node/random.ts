import { randomBytes } from 'node:crypto'

/** Returns a random number of 64 bits. */
export const randomUint64 = (): bigint => randomBytes(8).readBigUInt64LE()
