import { expect, test } from 'vitest'
import { decodeSourceMap, instructionNumbers } from './sourceMap.ts'

test('a field that is empty is that of the instruction before', () => {
  const { starts, lengths, files, jumps } = decodeSourceMap('1:2:0:i;:9;2:1:1:o;;:4:-1:-;9:9:9', 5)
  expect([...starts]).toEqual([1, 1, 2, 2, 2])
  expect([...lengths]).toEqual([2, 9, 1, 1, 4])
  expect([...files]).toEqual([0, 0, 1, 1, -1])
  expect(jumps).toEqual(['i', 'i', 'o', 'o', '-'])
  expect(decodeSourceMap('', 5).jumps).toEqual([])
})

test('the data of a push is not an instruction', () => {
  // PUSH1 0x01, PUSH2 0x0203, ADD, PUSH32 that is cut
  const code = Uint8Array.of(0x60, 1, 0x61, 2, 3, 0x01, 0x7f, 9)
  expect([...instructionNumbers(code)]).toEqual([0, -1, 1, -1, -1, 2, 3, -1])
})
