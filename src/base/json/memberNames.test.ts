import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { namesOf } from './memberNames.ts'
import { parsePieced } from './piecedJson.ts'

const parse = (text: string): Readonly<Record<string, unknown>> => {
  const work = parsePieced(text, 64)
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value as Record<string, unknown>
  }
}

const padding = `"padding":"${'x'.repeat(20_000)}"`

it('the names of a long object are those that Object.keys lists, in its order', () => {
  const name = fc.oneof(
    fc.constantFrom('a', 'b', '7', '10', '0', '007', '4294967296', '__proto__', ''),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), fc.nat(12), (names, at) => {
      const members = names.map((one, index) => `${JSON.stringify(one)}:${index}`)
      members.splice(at, 0, padding)
      const object = parse(`{${members.join()}}`)
      expect(namesOf(object)).toEqual(Object.keys(object))
    }),
    { numRuns: 300 },
  )
})

it('they are not listed again, where those of another object are', () => {
  const text = JSON.stringify(
    Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`name ${at}`, at])),
  )
  const object = parse(text)
  const other: Readonly<Record<string, unknown>> = JSON.parse(text)
  const list = vi.spyOn(Object, 'keys')
  expect(namesOf(object)).toHaveLength(5_000)
  expect(list).toHaveBeenCalledTimes(0)
  expect(namesOf(other)).toHaveLength(5_000)
  expect(list).toHaveBeenCalledTimes(1)
  list.mockRestore()
})
