import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { SlotPage } from '../../chain/port/state.ts'
import type { AccountChange } from '../../chain/state/evmState.ts'

const isSet = (value: Uint8Array): boolean => value.some((byte) => byte !== 0)

/** Returns a page of slots in the order of their hashes, with changes on top of the stored slots. */
export const overlaySlots = (
  { account, storageCleared, storage }: AccountChange,
  start: Uint8Array,
  limit: number,
  base: (start: Uint8Array, limit: number) => SlotPage,
): SlotPage => {
  if (account === undefined) return { slots: [], next: undefined }
  const changed = storage
    .map(([slot, value]) => ({ hashedSlot: keccak256(slot), slot, value }))
    .filter(({ hashedSlot }) => Buffer.compare(hashedSlot, start) >= 0)
  // The changes may replace as many slots of the base, so that many more are read.
  const page: SlotPage = storageCleared ? { slots: [], next: undefined } : base(start, limit + changed.length)
  const replaced = new Set(changed.map(({ hashedSlot }) => toHex(hashedSlot)))
  const { next } = page
  const slots = [
    ...page.slots.filter(({ hashedSlot }) => !replaced.has(toHex(hashedSlot))),
    ...changed.filter(
      ({ hashedSlot, value }) => isSet(value) && (next === undefined || Buffer.compare(hashedSlot, next) < 0),
    ),
  ].sort((a, b) => Buffer.compare(a.hashedSlot, b.hashedSlot))
  return { slots: slots.slice(0, limit), next: slots[limit]?.hashedSlot ?? next }
}
