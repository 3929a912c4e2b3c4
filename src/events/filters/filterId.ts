import { randomBytes } from 'node:crypto'
import { toBigInt } from '../../base/encoding/bytes.ts'

const idBytes = 16

/** Returns a new id of a filter, which nobody guesses. */
export const createFilterId = (): bigint => toBigInt(randomBytes(idBytes))
