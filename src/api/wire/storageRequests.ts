import { fromHex } from '../../base/encoding/hex.ts'
import { limitExceeded, type RpcError } from '../../rpc/errors.ts'
import { limitedList, limitedRecord } from '../../rpc/limitedTypes.ts'
import { inputType, type WireType } from '../../rpc/wireType.ts'
import { addressText } from './data.ts'
import { StorageKey, type StorageSlot } from './storage.ts'

/** The requested slots of one account. */
export interface StorageRequest {
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

/** The maximum number of slots of one call, as in geth. */
const maxSlots = 1024

const tooManySlots = (count: number): RpcError =>
  limitExceeded(`too many slots: ${count}, at most ${maxSlots} in one call`)

const tooManyAccounts = (count: number): RpcError =>
  limitExceeded(`too many accounts: ${count}, at most ${maxSlots} in one call`)

const keys = limitedList(StorageKey.schema, {
  max: maxSlots,
  error: 'expected an array of storage keys',
  tooMany: tooManySlots,
})

/** The slots of one account. */
export const StorageKeys: WireType<readonly StorageSlot[]> = inputType(keys)

/** Counts all slots before one of them is decoded. */
const checkTotal = (given: Readonly<Record<string, unknown>>): RpcError | undefined => {
  let count = 0
  for (const wanted of Object.values(given)) if (Array.isArray(wanted)) count += wanted.length
  return count > maxSlots ? tooManySlots(count) : undefined
}

/** The requested slots of many accounts. */
export const StorageRequests: WireType<readonly StorageRequest[]> = inputType(
  limitedRecord(addressText, keys, {
    max: maxSlots,
    error: 'expected an object from addresses to arrays of storage keys',
    tooMany: tooManyAccounts,
    check: checkTotal,
  })
    .meta({ id: 'StorageRequests', title: 'storage requests', description: 'Address to the keys wanted' })
    .refine((given) => Object.values(given).some(({ length }) => length > 0), { error: 'empty request' })
    .transform((given) =>
      Object.entries(given).map(([address, wanted]) => ({
        address: fromHex(address),
        slots: wanted.map(({ slot }) => slot),
      })),
    ),
)
