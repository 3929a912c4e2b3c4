import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** `json-rpc.txfee-cap`: what a sender may offer for gas, against a slip of the hand. */

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const charlie = privateKeyToAccount('0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a')

/** 21,000 gas for 1.05 coins. */
const price = parseGwei('50000')
const request = { from: alice, to: bob, gas: '0x5208', gasPrice: `0x${price.toString(16)}` }
const sign = (nonce: number, maxFeePerGas: bigint) =>
  charlie.signTransaction({ chainId: 31_337, nonce, to: bob, gas: 21_000n, maxFeePerGas })

describe('with a cap', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode('--json-rpc.txfee-cap=0.5')
  })
  afterAll(() => node.close())

  test('a fee above it is refused in geth’s words, however it comes', async () => {
    const refusal = {
      code: -32000,
      message: 'tx fee (1.05 ether) exceeds the configured cap (0.50 ether)',
    }
    expect(await node.failure('eth_sendTransaction', request)).toEqual(refusal)
    expect(await node.failure('eth_sendRawTransaction', await sign(0, price))).toEqual(refusal)
    expect(await node.failure('eth_sendRawTransactionSync', await sign(0, price))).toEqual(refusal)
    expect(await node.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  test('a fee below it is taken', async () => {
    expect(await node.call('eth_sendRawTransaction', await sign(0, price / 3n))).toMatch(/^0x/)
  })
})

describe('without a cap', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode('--json-rpc.txfee-cap=0')
  })
  afterAll(() => node.close())

  test('any fee is taken', async () => {
    expect(await node.call('eth_sendTransaction', request)).toMatch(/^0x/)
    expect(await node.call('eth_sendRawTransaction', await sign(0, price))).toMatch(/^0x/)
  })
})
