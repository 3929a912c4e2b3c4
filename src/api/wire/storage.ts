import { z } from 'zod'
import { fromHex } from '../../base/encoding/hex.ts'
import { decodedString, inputType, patternString, type WireType } from '../../rpc/wireType.ts'

/** A storage slot: 32 bytes and its original text, which `eth_getProof` echoes. */
export interface StorageSlot {
  readonly slot: Uint8Array
  readonly given: string
}

const padded = (digits: string): Uint8Array => fromHex(`0x${digits.padStart(64, '0')}`)

const slotText = patternString(
  /^0x[0-9a-fA-F]{0,64}$/,
  'a storage key: 0x and at most 64 hex digits, leading zeros allowed',
).meta({ id: 'StorageKey', title: 'storage key' })

const bySlotText = decodedString(slotText, (given): StorageSlot => ({ slot: padded(given.slice(2)), given }))

/** A key of any width, because clients differ: leading zeros and an odd number of digits are allowed, as in geth. */
export const StorageKey: WireType<StorageSlot> = inputType(bySlotText)

/** A key that may also be a JSON number, as early clients sent it. */
export const StoragePosition: WireType<StorageSlot> = inputType(
  z
    .union(
      [
        bySlotText,
        z
          .int()
          .min(0)
          .transform((position): StorageSlot => {
            const digits = position.toString(16)
            return { slot: padded(digits), given: `0x${digits}` }
          }),
      ],
      { error: 'expected a storage position: 0x and at most 64 hex digits, or a whole number' },
    )
    .meta({ title: 'storage position' }),
)
