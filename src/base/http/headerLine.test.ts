import { expect, test } from 'vitest'
import { parseHeaderLine, parseHostHeaderLine } from './headerLine.ts'

test.each([
  ['X-Key: abc', undefined, 'X-Key', 'abc'],
  ['X-Key:abc', undefined, 'X-Key', 'abc'],
  ['X-Key: abc:def', undefined, 'X-Key', 'abc:def'],
  ['X-Key: abc: def', undefined, 'X-Key', 'abc: def'],
  ['X-Key:123 abc', undefined, 'X-Key', '123 abc'],
  ['Authorization: Bearer a:b', undefined, 'Authorization', 'Bearer a:b'],
  ['rpc.example.org X-Key: abc:def', 'rpc.example.org', 'X-Key', 'abc:def'],
  ['rpc.example.org:443 X-Key: abc', 'rpc.example.org:443', 'X-Key', 'abc'],
  ['[2001:db8::1]:26657 X-Key: a b', '[2001:db8::1]:26657', 'X-Key', 'a b'],
])('%s', (line, host, name, value) => {
  expect(parseHostHeaderLine(line)).toEqual({ host, name, value })
})

test.each([
  '',
  'X-Key',
  ': abc',
  'a b c: d',
  'Host: other',
  'x.example Content-Length: 3',
  'X-Key: \u{1f511}',
])('%j is not a header', (line) => {
  expect(parseHostHeaderLine(line)).toBeUndefined()
})

test('a line without hosts has none', () => {
  expect(parseHeaderLine('rpc.example.org X-Key: abc')).toBeUndefined()
  expect(parseHeaderLine('X-Key: abc:def')).toEqual({ host: undefined, name: 'X-Key', value: 'abc:def' })
})
