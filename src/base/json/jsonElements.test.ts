import { expect, test } from 'vitest'
import { listElements } from './jsonElements.ts'

const textsOf = (text: string): string[] =>
  (listElements(Buffer.from(text)) ?? []).map((part) => Buffer.from(part).toString())

test.each([
  [[]],
  [[1]],
  [[1, 'a,]"\\', { a: [1, { b: ['}'] }], c: '{' }, [[], [2, 3]], null, '']],
  [[{}, [], '"', '\\"']],
])('the elements of %j are those that were written', (list) => {
  expect(textsOf(JSON.stringify(list))).toEqual((list as unknown[]).map((each) => JSON.stringify(each)))
})

test('blanks after the list are not part of it', () => {
  expect(textsOf('[1,{}]\n')).toEqual(['1', '{}'])
})

test.each(['', '1', '{}', '[', '[1', '[{},{}', '[{},{"a', '["a]', '[]]', '[1]2'])(
  '%j is not a list',
  (text) => {
    expect(listElements(Buffer.from(text))).toBeUndefined()
  },
)
