import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** The methods for light clients on a chain without validators; test/provider has them on a network. */

let node: TestNode

beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node?.close())

const question = { method: 'eth_call', transaction: { to: `0x${'11'.repeat(20)}` } }

test.each([
  ['perihelion_lightBlock', [['latest']]],
  ['perihelion_proofs', [{ headers: 1 }]],
  ['perihelion_callWitness', [question]],
  ['perihelion_chainConfig', []],
] as const)('%s says that nothing proves a chain without validators', async (method, params) => {
  expect(await node.failure(method, ...params)).toEqual({
    code: -32004,
    message: 'nothing proves this chain: it has no validators (engine solo)',
  })
})

test('asks for more than the limits are refused before any work', async () => {
  const heights = Array.from({ length: 65 }, () => '0x1')
  expect(await node.failure('perihelion_lightBlock', heights)).toMatchObject({ code: -32602 })
  const slots = Array.from({ length: 600 }, () => `0x${'00'.repeat(32)}`)
  const account = { address: `0x${'11'.repeat(20)}`, slots }
  expect(await node.failure('perihelion_proofs', { accounts: [account, account] })).toMatchObject({
    code: -32005,
    message: 'too many slots: 1200, at most 1024 in one call',
  })
  expect(await node.failure('perihelion_proofs', { headers: 1025 })).toMatchObject({ code: -32602 })
  const both = { method: 'eth_simulateV1', transaction: {} }
  expect(await node.failure('perihelion_callWitness', both)).toMatchObject({ code: -32602 })
})
