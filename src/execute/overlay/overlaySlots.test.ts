import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { SlotPage } from '../../chain/port/state.ts'
import { overlaySlots } from './overlaySlots.ts'

type Slots = ReadonlyMap<number, number>

const word = (value: number): Uint8Array => fromBigInt(BigInt(value), 32)

/** The plain way: everything sorted, then a part of it. */
const pageOf = (slots: Slots, start: Uint8Array, limit: number): SlotPage => {
  const sorted = [...slots]
    .filter(([, value]) => value !== 0)
    .map(([slot, value]) => ({ hashedSlot: keccak256(word(slot)), slot: word(slot), value: word(value) }))
    .filter(({ hashedSlot }) => Buffer.compare(hashedSlot, start) >= 0)
    .sort((a, b) => Buffer.compare(a.hashedSlot, b.hashedSlot))
  return { slots: sorted.slice(0, limit), next: sorted[limit]?.hashedSlot }
}

const slots = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3 })))
  .map((entries) => new Map(entries))

const account = { nonce: 0n, balance: 0n, codeHash: new Uint8Array(32) }

test('pages over changes are those of the state with the changes in it', () => {
  fc.assert(
    fc.property(
      slots,
      slots,
      fc.boolean(),
      fc.integer({ min: 1, max: 8 }),
      (kept, changes, isCleared, limit) => {
        const whole = new Map([...(isCleared ? [] : kept), ...changes])
        const change = {
          address: new Uint8Array(20),
          account,
          storageCleared: isCleared,
          storage: [...changes].map(([slot, value]) => [word(slot), word(value)] as const),
        }
        const seen: string[] = []
        for (let start: Uint8Array | undefined = new Uint8Array(32); start !== undefined; ) {
          const page: SlotPage = overlaySlots(change, start, limit, (from, count) =>
            pageOf(kept, from, count),
          )
          if (page.next !== undefined) expect(page.slots).toHaveLength(limit)
          for (const { hashedSlot, slot, value } of page.slots) {
            expect(toHex(hashedSlot)).toBe(toHex(keccak256(slot)))
            seen.push(`${toBigInt(slot)}=${toBigInt(value)}`)
          }
          start = page.next
        }
        const wanted = pageOf(whole, new Uint8Array(32), 100).slots
        expect(seen).toEqual(wanted.map(({ slot, value }) => `${toBigInt(slot)}=${toBigInt(value)}`))
      },
    ),
    { numRuns: 500 },
  )
})

test('an account that is gone has none', () => {
  const change = { address: new Uint8Array(20), account: undefined, storageCleared: true, storage: [] }
  expect(overlaySlots(change, new Uint8Array(32), 10, () => expect.fail())).toEqual({
    slots: [],
    next: undefined,
  })
})
