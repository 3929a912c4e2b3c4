import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { refused } from '../../chain/chainError.ts'
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

/** The deadline of calls in these tests. */
const shortMs = 100

test.each([
  ['that does not come', () => new Promise<never>(() => {})],
  ['that is not waited for', async () => {}],
])('a send is answered with its hash before its deadline, with a block %s', async (_, waitForSeal) => {
  const chain = fakeChain({ pool: { submit: async () => hash, waitForSeal } })
  expect(await callApi('eth_sendRawTransaction', ['0x00'], { chain }, shortMs)).toBe(`0x${'07'.repeat(32)}`)
})

test('a wait for a receipt ends before the deadline of the call, with the hash', async () => {
  const context = { chain: slowChain() }
  expect(await callApi('eth_sendRawTransactionSync', ['0x00', 60_000], context, shortMs)).toMatchObject({
    code: 4,
    data: `0x${'07'.repeat(32)}`,
  })
})

test('what the pool has not taken by the deadline has timed out', async () => {
  const chain = fakeChain({ pool: { submit: () => new Promise<never>(() => {}) } })
  expect(await callApi('eth_sendRawTransaction', ['0x00'], { chain }, shortMs)).toMatchObject({
    code: -32002,
  })
})

test('what the pool drops because no block can hold it is rejected', async () => {
  const waitForSeal = async () => {
    throw refused('the remote does not have it')
  }
  const chain = fakeChain({ pool: { submit: async () => hash, waitForSeal } })
  expect(await callApi('eth_sendRawTransaction', ['0x00'], { chain })).toMatchObject({ code: -32000 })
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

test.each([['1'], [-1], [1.5], ['0x']])('%j is not a time', async (timeout) => {
  expect(await callApi('eth_sendRawTransactionSync', ['0x00', timeout])).toMatchObject({ code: -32602 })
})
