import { encodeErrorResult, type Hex, pad, parseAbi, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RpcFailure, startTestNode, type TestNode } from '../support/node.ts'

/** Transactions that are sent with gas and fail in their block: Hardhat's tools are told, others look at the receipt. */

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const echo = `0x${'ec'.repeat(20)}`
const gas = '0x186a0'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode('--ephemeral')
  // It reverts with what it is given.
  await node.call('anvil_setCode', echo, '0x365f5f37365ffd')
})
afterAll(() => node.close())

const send = async (
  userAgent: string,
  method: string,
  ...params: readonly unknown[]
): Promise<{ result?: string; error?: RpcFailure }> => {
  const response = await fetch(node.http, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as { result?: string; error?: RpcFailure }
}

const reason = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['not now'] })
const panic = encodeErrorResult({ abi: parseAbi(['error Panic(uint256)']), args: [0x11n] })
const custom = encodeErrorResult({ abi: parseAbi(['error TooEarly(uint256)']), args: [7n] })
const outcomes: readonly (readonly [data: Hex, message: string])[] = [
  [reason, "Error: VM Exception while processing transaction: reverted with reason string 'not now'"],
  [panic, 'Error: VM Exception while processing transaction: reverted with panic code 0x11'],
  [
    custom,
    `Error: VM Exception while processing transaction: reverted with an unrecognized custom error (return data: ${custom})`,
  ],
  ['0x', 'Error: Transaction reverted without a reason string'],
]

describe.each(['hardhat 2.29.1', 'Hardhat/3.1.0'])('to %s', (userAgent) => {
  test.each(outcomes)(
    '%s is an error of the send, and the transaction is in a block',
    async (data, message) => {
      const { error } = await send(userAgent, 'eth_sendTransaction', { from: alice, to: echo, gas, data })
      expect(error).toMatchObject({ code: -32603, message, data: { message, data } })
      const { txHash } = (error as RpcFailure).data as { readonly txHash: string }
      expect(await node.call('eth_getTransactionReceipt', txHash)).toMatchObject({ status: '0x0' })
    },
  )

  test('a signed one too', async () => {
    const nonce = await node.call('eth_getTransactionCount', alice, 'latest')
    const fees = { maxFeePerGas: toHex(10n ** 11n), maxPriorityFeePerGas: '0x1' }
    const request = { from: alice, to: echo, gas, data: reason, nonce, value: '0x0', ...fees }
    const { raw } = await node.call<{ raw: string }>('eth_signTransaction', request)
    const { error } = await send(userAgent, 'eth_sendRawTransaction', raw)
    expect(error).toMatchObject({ code: -32603, data: { data: reason } })
  })

  test('one that succeeds has its hash', async () => {
    const { result } = await send(userAgent, 'eth_sendTransaction', { from: alice, to: alice, gas })
    expect(await node.call('eth_getTransactionReceipt', result)).toMatchObject({ status: '0x1' })
  })
})

test.each(['viem', 'node', 'my-hardhat'])('%s gets the hash', async (userAgent) => {
  const { result } = await send(userAgent, 'eth_sendTransaction', {
    from: alice,
    to: echo,
    gas,
    data: pad('0x1'),
  })
  expect(await node.call('eth_getTransactionReceipt', result)).toMatchObject({ status: '0x0' })
})
