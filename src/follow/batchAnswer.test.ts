import { expect, test } from 'vitest'
import { readAnswer, someIdOf } from './batchAnswer.ts'

const results = [{ a: '},{"jsonrpc":"2.0","id":8,"result":' }, null, [1, 'ä'], 'x']
const answer = (...order: readonly number[]) =>
  order.map((id) => ({ jsonrpc: '2.0', id: 7 + id, result: results[id] }))

const read = (body: string): unknown[] => {
  const bytes = Buffer.from(body)
  expect([7, 8, 9, 10]).toContain(someIdOf(bytes))
  return readAnswer(bytes, 4, 7).map(({ result, error }) => error ?? JSON.parse(String(result)))
}

test.each([
  ['in order', JSON.stringify(answer(0, 1, 2, 3))],
  ['with a line break at its end', `${JSON.stringify(answer(0, 1, 2, 3))}\r\n`],
  ['in another order', JSON.stringify(answer(2, 0, 3, 1))],
  ['with blanks', JSON.stringify(answer(0, 1, 2, 3), undefined, 2)],
  ['with the id last', JSON.stringify(answer(0, 1, 2, 3).map(({ id, ...rest }) => ({ ...rest, id })))],
])('the results of a batch that is answered %s', (_, body) => {
  expect(read(body)).toEqual(results)
})

test.each([0, 1, 3])('an error names the call that has it: %i', (failed) => {
  const error = { code: -32000, message: 'no' }
  const answers = answer(0, 1, 2, 3).map((entry, index) =>
    index === failed ? { jsonrpc: '2.0', id: entry.id, error } : entry,
  )
  expect(read(JSON.stringify(answers))).toEqual(
    results.map((result, index) => (index === failed ? error : result)),
  )
})

test('a call without a response has no outcome', () => {
  expect(readAnswer(Buffer.from(JSON.stringify(answer(0, 2))), 3, 7)[1]).toEqual({})
})

test('bytes that are not UTF-8 do not get into a line', () => {
  const body = Buffer.from(JSON.stringify([{ jsonrpc: '2.0', id: 7, result: '?' }]))
  body[body.indexOf('?')] = 0xff
  expect(String(readAnswer(body, 1, 7)[0]?.result)).toBe('"\ufffd"')
})

test.each([
  [
    'an error of the whole batch',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too many"}}',
    'too many',
  ],
  ['nothing of a batch', '{}', 'did not answer a batch'],
  ['no JSON', '[{"jsonrpc":"2.0","id":7,"result":', 'JSON'],
])('%s is an error', (_, body, message) => {
  expect(() => readAnswer(Buffer.from(body), 2, 7)).toThrow(message)
})
