import { encodeErrorResult, getAddress, type Hex, pad, parseAbi, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RpcFailure, startTestNode, type TestNode } from '../support/node.ts'

/** Transactions that are sent with gas and fail in their block: Hardhat's tools are told, others look at the receipt. */

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const echo = `0x${'ec'.repeat(20)}` as const
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
  [
    panic,
    'Error: VM Exception while processing transaction: reverted with panic code 0x11 (Arithmetic operation overflowed outside of an unchecked block)',
  ],
  [
    custom,
    `Error: VM Exception while processing transaction: reverted with an unrecognized custom error (return data: ${custom})`,
  ],
  [
    encodeErrorResult({ abi: parseAbi(['error Panic(uint256)']), args: [0x99n] }),
    'Error: VM Exception while processing transaction: reverted with unknown panic code 0x99',
  ],
  [
    encodeErrorResult({ abi: parseAbi(['error ERC721NonexistentToken(uint256)']), args: [7n] }),
    "Error: VM Exception while processing transaction: reverted with custom error 'ERC721NonexistentToken(7)'",
  ],
  ['0x', 'Error: Transaction reverted without a reason string'],
]
const described = encodeErrorResult({
  abi: parseAbi(['error Closed(address who, string why, (uint256[] ids, bool isLate) all)']),
  args: [echo, 'sleep', { ids: [1n, 2n], isLate: true }],
})

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

  test.each(outcomes)('%s is an error of calls and estimates too', async (data, message) => {
    for (const method of ['eth_call', 'eth_estimateGas'])
      expect((await send(userAgent, method, { from: alice, to: echo, gas, data })).error).toEqual({
        code: -32603,
        message,
        data: { message, data },
      })
  })

  test('custom errors are told with their values once a contract has them', async () => {
    const text = `Closed("${getAddress(echo)}", "sleep", [[1, 2], true])`
    const message = `Error: VM Exception while processing transaction: reverted with custom error '${text}'`
    const abi = parseAbi(['error Closed(address who, string why, (uint256[] ids, bool isLate) all)'])
    const contracts = { 'Shop.sol': { Shop: { abi, evm: {} } } }
    await node.call('hardhat_addCompilationResult', '0.8.37', { sources: {} }, { contracts })
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendTransaction'])
      expect(
        (await send(userAgent, method, { from: alice, to: echo, gas, data: described })).error,
      ).toMatchObject({
        code: -32603,
        message,
        data: { message, data: described },
      })
  })

  test('what does not end by a revert is told as from its node', async () => {
    const codes = [
      ['0xfe', -32603, 'Error: VM Exception while processing transaction: invalid opcode'],
      ['0x5b5f56', -32000, 'Transaction ran out of gas'],
      ['0x01', -32603, 'Error: Transaction reverted without a reason string'],
    ] as const
    const other = `0x${'ed'.repeat(20)}`
    for (const [bytes, code, message] of codes) {
      await node.call('anvil_setCode', other, bytes)
      for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendTransaction'])
        expect((await send(userAgent, method, { from: alice, to: other, gas })).error).toMatchObject({
          code,
          message,
          data: { message, data: '0x' },
        })
    }
  })

  test('memory without end runs out of gas', async () => {
    const other = `0x${'ed'.repeat(20)}`
    // A word at 2^56.
    await node.call('anvil_setCode', other, '0x5f67010000000000000052')
    const message = 'Transaction ran out of gas'
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendTransaction'])
      expect((await send(userAgent, method, { from: alice, to: other, gas })).error).toMatchObject({
        code: -32000,
        message,
        data: { message, data: '0x' },
      })
  })

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
