import { expect, test } from 'vitest'
import { findOuterId, maxValues } from './bodyLimits.ts'
import { parseBody } from './envelope.ts'

const body = (element: string, count: number, id = '7'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":[[${Array.from({ length: count }, () => element).join()}]]}`

test.each(['{}', '[]', '1', '""', '{"a":1}'])(
  'a body of too many %s is rejected before it is parsed',
  (element) => {
    const text = body(element, maxValues)
    expect(parseBody(text, 1000)).toMatchObject({
      kind: 'single',
      call: { id: '7', error: { code: -32005 } },
    })
  },
)

test('a body that is long and holds little is parsed', () => {
  const word = `"0x${'ab'.repeat(32)}"`
  const text = body(word, 70_000)
  expect(parseBody(text, 1000)).toMatchObject({ kind: 'single', call: { method: 'eth_call' } })
})

test('the id is found before the parameters and after them, or is null', () => {
  const list = `[${'{},'.repeat(5000)}{}]`
  const texts: readonly (readonly [string, string])[] = [
    [`{"id":12,"method":"m","params":${list}}`, '12'],
    [`{"method":"m","params":${list},"id":"a\\"b"}`, '"a\\"b"'],
    [`{"method":"m","params":${list},"id" : null }`, 'null'],
    [`{"method":"m","params":${list}}`, 'null'],
    [`{"id":1-2,"method":"m","params":${list}}`, 'null'],
    [`[${list}]`, 'null'],
  ]
  for (const [text, id] of texts)
    expect({ text: text.slice(0, 40), id: findOuterId(text) }).toMatchObject({ id })
})
