import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyDelta, writeDelta } from './nodeDelta.ts'
import { nodeRowAt } from './nodeVersion.ts'

/** A row of a branch as it is stored: the version's header, flags and masks, and parts that may come, go and change. */
const rowOf = (header: Uint8Array, parts: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from([
    ...header.subarray(0, nodeRowAt),
    0,
    ...header.subarray(nodeRowAt),
    ...parts.flatMap((part) => [...part]),
  ])

const header = fc.uint8Array({ minLength: nodeRowAt + 4, maxLength: nodeRowAt + 4 })
const part = fc.uint8Array({ minLength: 21, maxLength: 32 })
const parts = fc.array(part, { minLength: 2, maxLength: 16 })
const edit = fc.record({ at: fc.nat({ max: 15 }), part, kind: fc.constantFrom('change', 'add', 'remove') })

test('a difference and what replaced it give what was before', () => {
  let shorter = 0
  fc.assert(
    fc.property(header, header, parts, fc.array(edit, { maxLength: 3 }), (a, b, list, edits) => {
      const later = [...list]
      for (const { at, part: value, kind } of edits) {
        if (kind === 'add') later.splice(at % later.length, 0, value)
        else if (kind === 'change') later[at % later.length] = value
        else if (later.length > 1) later.splice(at % later.length, 1)
      }
      const [before, after] = [rowOf(a, list), rowOf(b, later)]
      const target = new Uint8Array(2 * before.length + 100)
      const end = writeDelta(target, 7, before, after)
      if (end < 0) return
      shorter++
      expect(end - 7).toBeLessThan(before.length)
      expect(Buffer.compare(applyDelta(target.subarray(7, end), after), before)).toBe(0)
      // Version and skips are found without what replaced it.
      expect(Buffer.compare(target.subarray(7, 7 + nodeRowAt), before.subarray(0, nodeRowAt))).toBe(0)
    }),
  )
  expect(shorter).toBeGreaterThan(50)
})

test('a changed reference among sixteen takes little more than itself', () => {
  const list = Array.from({ length: 16 }, (_, index) => new Uint8Array(32).fill(index + 1))
  const head = new Uint8Array(nodeRowAt + 4)
  const changed = list.with(9, new Uint8Array(32).fill(99))
  const target = new Uint8Array(1000)
  expect(writeDelta(target, 0, rowOf(head, list), rowOf(head, changed))).toBeLessThan(nodeRowAt + 5 + 32 + 6)
})

test('what does not belong together ends in an error or in other bytes, never in a loop', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), fc.uint8Array({ maxLength: 120 }), (delta, after) => {
      try {
        expect(applyDelta(delta, after).length).toBeLessThanOrEqual(delta.length + after.length)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
  )
})
