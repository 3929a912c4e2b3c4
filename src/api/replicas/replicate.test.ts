import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { fromHex } from '../../base/encoding/hex.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { PeerAnswer, ReplicaPeers } from '../../chain/port/replicas.ts'
import type { CallScope } from '../../rpc/method.ts'
import { RawJson } from '../../rpc/rawJson.ts'
import type { ApiContext } from '../context.ts'
import type { ApiMethod } from '../method.ts'
import { methods } from '../methods.ts'
import { pendingTransaction, transaction } from '../wire/exampleValues.ts'
import { replicate } from './replicate.ts'

const config = parseChainConfig({ chainId: 1, homesteadBlock: 0 })
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const raw = fromHex(
  await account.signTransaction({
    chainId: 1,
    to: account.address,
    gas: 21_000n,
    gasPrice: 1n,
    nonce: 0,
  }),
)

const scope = {
  caller: { address: '192.0.2.1' },
  signal: new AbortController().signal,
  hold: () => undefined,
} as unknown as CallScope

/** Calls a method of replica 3, whose peers 1 and 2 come first; returns who was asked, and the answer or its error. */
const call = async (
  name: string,
  arg: unknown,
  answers: Readonly<Record<number, PeerAnswer>>,
  refuses = false,
): Promise<readonly [readonly number[], unknown]> => {
  const asked: number[] = []
  const replicas: Partial<ReplicaPeers> = {
    self: 3,
    has: () => true,
    isGone: () => false,
    refuses: () => refuses,
    ranking: () => [1, 2, 3],
    ask: async (replica) => {
      asked.push(replica)
      const answer = answers[replica]
      if (answer === undefined) throw new Error('away')
      return answer
    },
    askAll: async () => Object.values(answers).map((answer) => ('result' in answer ? answer.result : null)),
  }
  const chain = { config, head: () => ({ number: 5, time: 7 }) }
  const method = {
    ...(methods.find((each) => each.name === name) as ApiMethod),
    handler: () => (name === 'eth_getTransactionByHash' ? null : 'here'),
  }
  const context = { chain, replicas } as unknown as ApiContext
  try {
    const result = await replicate(method).handler([arg], context, scope, [])
    return [asked, result instanceof RawJson ? JSON.parse(Buffer.concat(result.parts).toString()) : result]
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return [asked, refuses ? `${code} ${message}` : code]
  }
}

const failed = (code: number): PeerAnswer => ({ error: { code, message: 'no' } })

test('a replica that cannot send is passed over, and the refusal of the pool is the answer', async () => {
  const send = (answers: Readonly<Record<number, PeerAnswer>>) => call('eth_sendRawTransaction', raw, answers)
  expect(await send({ 1: { result: '0x12' } })).toEqual([[1], '0x12'])
  for (const code of [4_100, -32_601, -32_002])
    expect(await send({ 1: failed(code), 2: { result: '0x12' } })).toEqual([[1, 2], '0x12'])
  expect(await send({ 1: failed(4_100), 2: failed(-32_002) })).toEqual([[1, 2], 'here'])
  expect(await send({})).toEqual([[1, 2], 'here'])
  expect(await send({ 1: failed(-32_000), 2: { result: '0x12' } })).toEqual([[1], -32_000])
})

test('nothing is said about a filter whose keeper cannot answer', async () => {
  const poll = (answer: PeerAnswer) => call('eth_getFilterChanges', 1n << 112n, { 1: answer })
  expect(await poll({ result: [] })).toEqual([[1], []])
  for (const code of [4_100, -32_601, -32_002]) expect(await poll(failed(code))).toEqual([[1], -32_002])
  expect(await poll(failed(-32_000))).toEqual([[1], -32_000])
})

test('a client hears that polling again does not help where the keeper refuses', async () => {
  expect(await call('eth_getFilterChanges', 1n << 112n, {}, true)).toEqual([
    [1],
    expect.stringMatching(/^-32002 .* refuses .*: make a new filter$/),
  ])
})

test('a transaction of another replica is shown as it is at the height of this one', async () => {
  const search = async (...found: readonly unknown[]) => {
    const answers = Object.fromEntries(found.map((result, index) => [index, { result }]))
    return (await call('eth_getTransactionByHash', raw, answers))[1]
  }
  const inBlock = (blockNumber: string) => ({ ...transaction, blockNumber })
  expect(await search(null, null)).toBe(null)
  expect(await search(pendingTransaction, null)).toEqual(pendingTransaction)
  expect(await search(null, pendingTransaction, inBlock('0x5'))).toEqual(inBlock('0x5'))
  expect(await search(inBlock('0x6'))).toEqual(pendingTransaction)
  expect(await search(inBlock('0x6'), inBlock('0x5'))).toEqual(inBlock('0x5'))
  // Of a type without a cap, whose price is the same everywhere.
  const { maxFeePerGas: _, maxPriorityFeePerGas: __, ...old } = inBlock('0x6')
  expect(await search(old)).toMatchObject({ gasPrice: old.gasPrice, blockHash: null, transactionIndex: null })
})
