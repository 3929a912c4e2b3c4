import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHex } from '../../base/encoding/hex.ts'
import { merkleRoot } from './merkle.ts'

/** The definition in section 2.1 of RFC 6962, written out literally. */
const reference = (items: readonly Uint8Array[]): Buffer => {
  const hash = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
  if (items.length === 0) return hash()
  if (items.length === 1) return hash(Uint8Array.of(0), items[0] as Uint8Array)
  let k = 1
  while (k * 2 < items.length) k *= 2
  return hash(Uint8Array.of(1), reference(items.slice(0, k)), reference(items.slice(k)))
}

describe('merkleRoot', () => {
  it('is that of RFC 6962 for any number of items', () => {
    for (let count = 0; count < 70; count++) {
      const items = Array.from({ length: count }, (_, at) => Uint8Array.of(at, count))
      expect(toHex(merkleRoot(items)), `${count} items`).toBe(toHex(reference(items)))
    }
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 5 }), { maxLength: 200 }), (items) => {
        expect(toHex(merkleRoot(items))).toBe(toHex(reference(items)))
      }),
      { numRuns: 50 },
    )
  })
})
