import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** eth_feeHistory on blocks with traffic, against what their receipts say. */

const accounts = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
]
const percentiles = [0, 10, 25, 50, 75, 99.5, 100]
const gwei = 10n ** 9n

interface History {
  readonly oldestBlock: string
  readonly baseFeePerGas: readonly string[]
  readonly gasUsedRatio: readonly number[]
  readonly reward: readonly (readonly string[])[]
}
interface BlockJson {
  readonly baseFeePerGas: string
  readonly gasUsed: string
  readonly gasLimit: string
  readonly transactions: readonly string[]
}
interface ReceiptJson {
  readonly gasUsed: string
  readonly effectiveGasPrice: string
}

let node: TestNode
const quantity = (value: bigint): string => `0x${value.toString(16)}`

/** Transfers and calls that burn up to a million gas, with tips of 1 to 9 gwei. */
const sendRound = async (round: number): Promise<void> => {
  const sent = accounts.flatMap((from, index) => [
    node.call<string>('eth_sendTransaction', {
      from,
      to: accounts[0],
      gas: '0x5208',
      maxFeePerGas: quantity(100n * gwei),
      maxPriorityFeePerGas: quantity(gwei * BigInt(1 + ((index * 7 + round) % 9))),
    }),
    node.call<string>('eth_sendTransaction', {
      from,
      // An endless loop: all of the gas is used.
      data: '0x5b5f56',
      gas: quantity(100_000n * BigInt(1 + ((index * 3 + round) % 9))),
      maxFeePerGas: quantity(100n * gwei),
      maxPriorityFeePerGas: quantity(gwei * BigInt(1 + ((index * 5 + round) % 9))),
    }),
  ])
  const hashes = await Promise.all(sent)
  for (const hash of hashes)
    await eventually(async () => (await node.call('eth_getTransactionReceipt', hash)) !== null)
}

beforeAll(async () => {
  node = await startTestNode('--block-time=300ms')
  for (let round = 0; round < 3; round++) await sendRound(round)
})
afterAll(() => node.close())

/** The reward at each percentile of a block's gas, from its cheapest transaction up. */
const rewardsOf = async (number: bigint, { baseFeePerGas, gasUsed }: BlockJson): Promise<string[]> => {
  const receipts = await node.call<readonly ReceiptJson[]>('eth_getBlockReceipts', quantity(number))
  const paid = receipts
    .map((receipt) => ({
      gas: BigInt(receipt.gasUsed),
      reward: BigInt(receipt.effectiveGasPrice) - BigInt(baseFeePerGas),
    }))
    .sort((a, b) => Number(a.reward - b.reward))
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(gasUsed) * percentile) / 100))
    let sum = 0n
    for (const { gas, reward } of paid) {
      sum += gas
      if (sum >= threshold) return quantity(reward)
    }
    return '0x0'
  })
}

test('rewards, ratios and base fees are those of the blocks', async () => {
  const head = BigInt(await node.call<string>('eth_blockNumber'))
  const history = await node.call<History>('eth_feeHistory', quantity(head), quantity(head), percentiles)
  expect(BigInt(history.oldestBlock)).toBe(1n)
  let busy = 0
  for (let number = 1n; number <= head; number++) {
    const at = Number(number - 1n)
    const block = await node.call<BlockJson>('eth_getBlockByNumber', quantity(number), false)
    expect(history.baseFeePerGas[at]).toBe(block.baseFeePerGas)
    expect(history.gasUsedRatio[at]).toBe(Number(block.gasUsed) / Number(block.gasLimit))
    expect(history.reward[at]).toEqual(await rewardsOf(number, block))
    if (block.transactions.length > 1) busy++
  }
  expect(busy).toBeGreaterThan(0)
  expect(history.baseFeePerGas).toHaveLength(Number(head) + 1)
  expect(new Set(history.reward.flat()).size).toBeGreaterThan(4)
})

test('one more base fee is that of the block to come', async () => {
  const head = BigInt(await node.call<string>('eth_blockNumber'))
  const before = await node.call<History>('eth_feeHistory', '0x1', quantity(head - 1n))
  const { baseFeePerGas } = await node.call<BlockJson>('eth_getBlockByNumber', quantity(head), false)
  expect(before.baseFeePerGas[1]).toBe(baseFeePerGas)
})
