import { describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** Init code that returns this many zeros as code. */
const deploys = (size: number): string => `0x62${size.toString(16).padStart(6, '0')}5ff3`

const within = async (flags: readonly string[], act: (node: TestNode) => Promise<void>): Promise<void> => {
  const node = await startTestNode(...flags)
  try {
    await act(node)
  } finally {
    await node.close()
  }
}

const deploy = async (node: TestNode, data: string, gas: number) => {
  const [from] = await node.call<string[]>('eth_accounts')
  const hash = await node.call<string>('eth_sendTransaction', { from, data, gas: `0x${gas.toString(16)}` })
  return node.call<{ status: string; contractAddress: string }>('eth_getTransactionReceipt', hash)
}

describe('a dev chain with limits of its own', () => {
  const flags = ['--genesis-code-size=100000', '--genesis-transaction-gas=0']

  test('has contracts of that size, and transactions with the gas of a block', () =>
    within(flags, async (node) => {
      const { status, contractAddress } = await deploy(node, deploys(100_000), 30_000_000)
      expect(status).toBe('0x1')
      expect(await node.call('eth_getCode', contractAddress, 'latest')).toBe(`0x${'00'.repeat(100_000)}`)
      expect((await deploy(node, deploys(100_001), 30_000_000)).status).toBe('0x0')
      // Init code of twice the size, longer than what a transaction may have elsewhere.
      const long = `0x00${'00'.repeat(199_999)}`
      expect((await deploy(node, long, 30_000_000)).status).toBe('0x1')
      const [from] = await node.call<string[]>('eth_accounts')
      expect(
        await node.failure('eth_sendTransaction', { from, data: `${long}00`, gas: '0x1c9c380' }),
      ).toMatchObject({
        message: expect.stringMatching(/max initcode size exceeded: code size 200001.*200000/),
      })
      expect(BigInt(await node.call('eth_estimateGas', { from, data: deploys(90_000) }))).toBeGreaterThan(
        18_000_000n,
      )
    }))

  test('without them has those of Ethereum', () =>
    within([], async (node) => {
      const [from] = await node.call<string[]>('eth_accounts')
      expect((await deploy(node, deploys(24_577), 10_000_000)).status).toBe('0x0')
      expect(await node.failure('eth_sendTransaction', { from, to: from, gas: '0x1000001' })).toMatchObject({
        message: expect.stringContaining('transaction gas limit too high (cap: 16777216, tx: 16777217)'),
      })
    }))
})
