import { z } from 'zod'
import { fromHex } from '../../base/encoding/hex.ts'
import { limitExceeded } from '../../rpc/errors.ts'
import { inputType, type WireType } from '../../rpc/wireType.ts'
import { addressText } from './data.ts'
import { StorageKey } from './storage.ts'

/** The requested slots of one account. */
export interface StorageRequest {
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

/** The maximum number of slots of one call, as in geth. */
const maxSlots = 1024

const keys = z.array(StorageKey.schema, { error: 'expected an array of storage keys' })

/** The requested slots of many accounts. */
export const StorageRequests: WireType<readonly StorageRequest[]> = inputType(
  z
    .record(addressText, keys, { error: 'expected an object from addresses to arrays of storage keys' })
    .meta({ id: 'StorageRequests', title: 'storage requests', description: 'Address to the keys wanted' })
    .refine((given) => Object.values(given).some(({ length }) => length > 0), { error: 'empty request' })
    .transform((given) =>
      Object.entries(given).map(([address, wanted]) => ({
        address: fromHex(address),
        slots: wanted.map(({ slot }) => slot),
      })),
    ),
)

export const checkSlotCount = (requests: readonly StorageRequest[]): void => {
  const count = requests.reduce((sum, { slots }) => sum + slots.length, 0)
  if (count > maxSlots) throw limitExceeded(`too many slots: ${count}, at most ${maxSlots} in one call`)
}
