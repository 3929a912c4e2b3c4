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

/** The changed parts of a row, found byte by byte: those with fewer than six equal bytes between them are one. */
const changesOf = (before: Uint8Array, after: Uint8Array, start: number): number[] => {
  const number = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)]
  const parts: number[] = []
  let done = start
  for (let at = start; at < before.length; at++) {
    if (before[at] === after[at]) continue
    let end = at + 1
    for (let i = end; i < before.length && i < end + 6; i++) if (before[i] !== after[i]) end = i + 1
    parts.push(...number(at - done), ...number(end - at), ...number(end - at), ...before.subarray(at, end))
    done = end
    at = end - 1
  }
  return parts
}

test('a difference of rows of one length is the same as found byte by byte', () => {
  const edits = fc.array(fc.record({ at: fc.nat(599), value: fc.nat(255) }), { maxLength: 12 })
  const start = nodeRowAt + 5
  fc.assert(
    fc.property(fc.uint8Array({ minLength: start + 8, maxLength: 600 }), edits, (row, list) => {
      const [before, after] = [row.slice(), row.slice()]
      before[nodeRowAt] = 0
      after[nodeRowAt] = 0
      for (const { at, value } of list) if (at >= start && at < after.length) after[at] = value
      const expected = changesOf(before, after, start)
      const target = new Uint8Array(1_000)
      const end = writeDelta(target, 7, before, after)
      if (end >= 0) expect([...target.subarray(7 + start, end)]).toEqual(expected)
      else expect(start + expected.length + 6).toBeGreaterThanOrEqual(before.length)
    }),
    { numRuns: 1_000 },
  )
})
