import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendHttp } from '../../support/clients.ts'
import { startTestNode, type TestNode } from '../../support/node.ts'

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode(
    '--block-time=1h',
    '--txpool.account-queue=2',
    '--txpool.price-bump=50',
    '--json-rpc.txfee-cap=2',
  )
})
afterAll(() => node.close())

const gwei = (count: number): string => `0x${(BigInt(count) * 10n ** 9n).toString(16)}`
const transfer = (fields: object) => ({ from: alice, to: bob, gas: '0x5208', gasPrice: gwei(10), ...fields })
const send = (fields: object) => node.call('eth_sendTransaction', transfer(fields))
const refusal = (fields: object) => node.failure('eth_sendTransaction', transfer(fields))

test('the settings of the pool hold', async () => {
  await send({ nonce: '0x5' })
  await send({ nonce: '0x6' })
  expect((await refusal({ nonce: '0x7' })).code).toBe(-32000)
  expect(await node.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x2' })

  await send({ nonce: '0x0' })
  expect((await refusal({ nonce: '0x0', gasPrice: gwei(14) })).message).toBe(
    'replacement transaction underpriced',
  )
  await send({ nonce: '0x0', gasPrice: gwei(15) })

  // 21,000 gas: 100,000 gwei each is 2.1 coins.
  expect((await refusal({ nonce: '0x1', gasPrice: gwei(100_000) })).message).toContain(
    'exceeds the configured cap',
  )
  await send({ nonce: '0x1', gasPrice: gwei(95_000) })
})

test('the figures of the pool are those of its content', async () => {
  const { body } = await sendHttp(node.urls().http ?? '', { method: 'GET', path: '/metrics' })
  expect(body).toContain('perihelion_pool_transactions{state="pending"} 2')
  expect(body).toContain('perihelion_pool_transactions{state="queued"} 2')
  expect(body).toContain('perihelion_pool_dropped_total{reason="replaced"} 1')
})
