import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toHex } from '../../src/base/hex.ts'
import { findProgram } from '../../src/engine/cometbft/program.ts'
import { keysOfMnemonic } from '../../src/keystore/mnemonic.ts'
import {
  call,
  heightOf,
  killNode,
  type Network,
  type NetworkNode,
  restartNode,
  startNetwork,
  waitForHeight,
} from './testnet.ts'

/** Found, or installed where Go is there; otherwise why not. */
const missing = await findProgram({ path: '', tell: () => {} }).then(
  () => undefined,
  (error: Error) => error.message.split('\n', 1)[0],
)

const [key = new Uint8Array()] = keysOfMnemonic(
  'test test test test test test test test test test test junk',
  1,
)
const account = privateKeyToAccount(toHex(key) as `0x${string}`)
let nonce = 0

const sendTo = async (node: NetworkNode): Promise<string> => {
  const raw = await account.signTransaction({
    chainId: 31_337,
    type: 'eip1559',
    nonce: nonce++,
    to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  return call(node, 'eth_sendRawTransaction', raw)
}

const receiptOf = async (node: NetworkNode, hash: string): Promise<object> => {
  for (;;) {
    const receipt = await call<object | null>(node, 'eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** What every node says of every block must be the same. */
const expectSameBlocks = async (nodes: readonly NetworkNode[]): Promise<void> => {
  const heights = await Promise.all(nodes.map(heightOf))
  for (let height = 0; height <= Math.min(...heights); height++) {
    const number = `0x${height.toString(16)}`
    for (const method of ['eth_getBlockByNumber', 'eth_getBlockReceipts']) {
      const params = method === 'eth_getBlockByNumber' ? [number, true] : [number]
      const [first, ...others] = await Promise.all(
        nodes.map((node) => call<unknown>(node, method, ...params)),
      )
      for (const other of others) expect(other, `${method} ${height}`).toEqual(first)
    }
  }
}

const reason = missing ?? ''
describe.skipIf(missing !== undefined)(`four validators under CometBFT${reason && ` (${reason})`}`, () => {
  let network: Network

  beforeAll(async () => {
    network = await startNetwork(4)
  }, 240_000)
  afterAll(async () => network?.stop(), 60_000)

  const nodeAt = (index: number): NetworkNode => {
    const node = network.nodes[index]
    if (node === undefined) throw new Error(`there is no node ${index}`)
    return node
  }

  it('takes a transaction at any node and shows it at all of them, once', { timeout: 120_000 }, async () => {
    const hashes: string[] = []
    for (const node of network.nodes) hashes.push(await sendTo(node))
    for (const hash of hashes) {
      const receipts = await Promise.all(network.nodes.map((node) => receiptOf(node, hash)))
      for (const receipt of receipts) expect(receipt).toEqual(receipts[0])
    }
    await expectSameBlocks(network.nodes)
  })

  it('pays the tips of a block to its proposer', { timeout: 120_000 }, async () => {
    const height = await heightOf(nodeAt(0))
    await waitForHeight(nodeAt(0), height + 8)
    const miners = new Set<string>()
    for (let back = 0; back < 8; back++) {
      const number = `0x${(height + back).toString(16)}`
      miners.add((await call<{ miner: string }>(nodeAt(0), 'eth_getBlockByNumber', number, false)).miner)
    }
    expect(miners.size).toBe(4)
  })

  it('goes on without one that was killed, which then catches up', { timeout: 240_000 }, async () => {
    killNode(nodeAt(3))
    const before = await heightOf(nodeAt(0))
    const hash = await sendTo(nodeAt(1))
    await receiptOf(nodeAt(0), hash)
    await waitForHeight(nodeAt(0), before + 5)
    await restartNode(nodeAt(3))
    await waitForHeight(nodeAt(3), before + 5)
    expect(await receiptOf(nodeAt(3), hash)).toEqual(await receiptOf(nodeAt(0), hash))
    await expectSameBlocks(network.nodes)
  })

  it('halts without two of four, forks nowhere, and goes on when one is back', {
    timeout: 240_000,
  }, async () => {
    killNode(nodeAt(2))
    killNode(nodeAt(3))
    // The block under way may still be decided; after that nothing is.
    await new Promise((resolve) => setTimeout(resolve, 3000))
    const halted = await heightOf(nodeAt(0))
    await new Promise((resolve) => setTimeout(resolve, 3000))
    expect(await heightOf(nodeAt(0))).toBe(halted)
    await restartNode(nodeAt(2))
    await waitForHeight(nodeAt(0), halted + 3)
    await restartNode(nodeAt(3))
    await waitForHeight(nodeAt(3), halted + 3)
    await expectSameBlocks(network.nodes)
  })
})
