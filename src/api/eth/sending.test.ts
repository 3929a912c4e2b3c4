import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { sendingMethods } from './sending.ts'

const hash = new Uint8Array(32).fill(7)

/** A chain whose pool accepts every transaction and includes none. */
const slowChain = () =>
  fakeChain({
    blocks: {},
    pool: {
      submit: async () => hash,
      waitFor: async (_hash, signal) => {
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return undefined
      },
    },
  })

test('a wait ends when its time is up', async () => {
  const started = performance.now()
  expect(await callApi('eth_sendRawTransactionSync', ['0x00', 30], { chain: slowChain() })).toMatchObject({
    code: 4,
    data: `0x${'07'.repeat(32)}`,
  })
  expect(performance.now() - started).toBeGreaterThanOrEqual(25)
})

test('a block that is gone again is said to be', async () => {
  const chain = fakeChain({
    pool: { submit: async () => hash, waitFor: async () => ({ number: 1, index: 0 }) },
    blocks: { receiptJson: () => undefined },
  })
  expect(await callApi('eth_sendRawTransactionSync', ['0x00'], { chain })).toMatchObject({ code: -32000 })
})

test('raw transactions of a batch are submitted without waiting for each other', () => {
  const pipelined = sendingMethods.filter(({ isPipelined }) => isPipelined).map(({ name }) => name)
  expect(pipelined).toEqual(['eth_sendRawTransaction'])
})

test.each([['1'], [-1], [1.5], ['0x']])('%j is no time', async (timeout) => {
  expect(await callApi('eth_sendRawTransactionSync', ['0x00', timeout])).toMatchObject({ code: -32602 })
})
