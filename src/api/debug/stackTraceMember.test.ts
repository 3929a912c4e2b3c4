import { expect, test } from 'vitest'
import type { StreamedJson, TraceOptions } from '../../chain/port/traces.ts'
import type { StackTrace } from '../../solidity/stackTrace.ts'
import { withStackTrace } from './stackTraceMember.ts'

const stack = { frames: [], cause: 'too much' } as unknown as StackTrace
const options = { tracerConfig: { withStackTrace: true } } as unknown as TraceOptions

const inMemory = (text: string): StreamedJson => {
  const bytes = Buffer.from(text)
  return {
    size: bytes.length,
    bytes,
    read: async function* () {
      yield bytes
    },
    dispose: () => {},
  }
}
/** As a result that is too long for memory, in pieces of two bytes. */
const spooled = (text: string): StreamedJson => ({
  ...inMemory(text),
  bytes: undefined,
  read: async function* () {
    for (let at = 0; at < text.length; at += 2) yield Buffer.from(text.slice(at, at + 2))
  },
})

for (const make of [inMemory, spooled])
  for (const [trace, parsed] of [
    ['{"a":[1]}', { a: [1], stackTrace: { cause: 'too much', lines: [] } }],
    ['{"a":[10]}', { a: [10], stackTrace: { cause: 'too much', lines: [] } }],
    ['[1,2]', [1, 2]],
    ...(make === inMemory ? [['{}', { stackTrace: { cause: 'too much', lines: [] } }] as const] : []),
  ] as const)
    test(`${trace}, ${make.name}: the result is JSON of the size that is said`, async () => {
      const json = await withStackTrace(Promise.resolve(make(trace)), options, async () => stack)
      let text = ''
      for await (const piece of json.read()) text += Buffer.from(piece).toString()
      expect(JSON.parse(text)).toEqual(parsed)
      expect(text).toHaveLength(json.size)
    })
