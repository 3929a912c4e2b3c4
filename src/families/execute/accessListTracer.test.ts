import { expect, test } from 'vitest'
import { parseAccessed } from './accessListTracer.ts'

const read = (value: unknown) => parseAccessed(Buffer.from(JSON.stringify(value)))

test('addresses and slots come in full length', () => {
  const address = `0x${'ab'.repeat(20)}`
  expect(read([[address, '7'], ['cd'], [`ff${'0'.repeat(22)}${'12'.repeat(20)}`]])).toEqual([
    { address, slot: `0x${'7'.padStart(64, '0')}` },
    { address: `0x${'cd'.padStart(40, '0')}`, slot: undefined },
    { address: `0x${'12'.repeat(20)}`, slot: undefined },
  ])
  expect(read({})).toEqual([])
})

test.each([[7], [['0xzz']], [[7]], [['ab', 7]], 'text'])('%j is not a result', (value) => {
  expect(read(value)).toBeUndefined()
})
