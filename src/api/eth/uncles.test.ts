import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'

const asked: number[] = []
const chain = fakeChain({
  retention: (() => ({ oldestBlock: 0 })) as never,
  blocks: {
    resolve: (ref) => (ref.kind === 'tag' ? 'pending' : 3),
    pending: async () => ({}) as never,
    ommerCount: () => 2,
    ommerJson: (_number, index) => {
      asked.push(index)
      return index < 2 ? Buffer.from(`{"index":${index}}`) : undefined
    },
  },
})
const hash = `0x${'11'.repeat(32)}`

test('uncles that are there are given as they are kept', async () => {
  expect(await callApi('eth_getUncleCountByBlockNumber', ['0x3'], { chain })).toBe('0x2')
  expect(await callApi('eth_getUncleCountByBlockHash', [hash], { chain })).toBe('0x2')
  expect(await callApi('eth_getUncleByBlockNumberAndIndex', ['0x3', '0x1'], { chain })).toEqual({ index: 1 })
  expect(await callApi('eth_getUncleByBlockHashAndIndex', [hash, '0x0'], { chain })).toEqual({ index: 0 })
})

test('others are null', async () => {
  expect(await callApi('eth_getUncleByBlockNumberAndIndex', ['0x3', '0x2'], { chain })).toBeNull()
  expect(
    await callApi('eth_getUncleByBlockNumberAndIndex', ['0x3', '0xffffffffffffffff'], { chain }),
  ).toBeNull()
  expect(asked.every((index) => index <= 0x7fff_ffff)).toBe(true)
  expect(await callApi('eth_getUncleByBlockNumberAndIndex', ['pending', '0x0'], { chain })).toBeNull()
  expect(await callApi('eth_getUncleCountByBlockNumber', ['pending'], { chain })).toBe('0x0')
})
