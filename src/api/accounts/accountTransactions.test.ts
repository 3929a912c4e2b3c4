import { expect, test } from 'vitest'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { secp256k1 } from '../../base/crypto.ts'
import { KeyedQueue } from '../../base/threads/keyedQueue.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { sendFromAccount } from './accountTransactions.ts'

const from = new Uint8Array(20).fill(1)
const key = new Uint8Array(32).fill(1)
const signer = { has: () => true, sign: (_: Uint8Array, hash: Uint8Array) => secp256k1.sign(hash, key) }
const patient = new AbortController().signal

/** A pool that takes its time, and refuses what has no value. */
const slowPool = () => {
  const nonces: bigint[] = []
  const waiting: (() => void)[] = []
  const chain = fakeChain({
    config: parseChainConfig({ chainId: 7, homesteadBlock: 0 }),
    head: () => ({ number: 0, hash: new Uint8Array(32), time: 0 }),
    blocks: { header: () => ({ baseFeePerGas: 1n }) as never },
    fees: { suggestTip: () => 20n },
    pool: {
      nextNonce: () => BigInt(nonces.length),
      submit: async (raw) => {
        await new Promise<void>((resolve) => waiting.push(resolve))
        const { nonce, value } = decodeTransaction(raw)
        if (value === 0n) throw new Error('refused')
        nonces.push(nonce)
        return raw.subarray(0, 32)
      },
    },
  })
  /** Lets the pool answer until everybody has an answer. */
  const settle = async <T>(sends: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> => {
    let isDone = false
    const all = Promise.allSettled(sends).finally(() => {
      isDone = true
    })
    while (!isDone) {
      waiting.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return all
  }
  return { context: { chain, senderLock: new KeyedQueue({ name: 'turn' }) }, nonces, settle }
}

test('nonces are in a row, and those of refused transactions are used by the next', async () => {
  const { context, nonces, settle } = slowPool()
  const sends = Array.from({ length: 20 }, (_, index) =>
    sendFromAccount(context, { from, to: from, value: index % 3 === 1 ? 0n : 1n }, signer, patient),
  )
  const outcomes = await settle(sends)
  expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(
    Array.from({ length: 20 }, (_, index) => index % 3 === 1),
  )
  expect(nonces).toEqual(Array.from({ length: 13 }, (_, index) => BigInt(index)))
})

test('what could not be signed takes no nonce', async () => {
  const { context, nonces, settle } = slowPool()
  const locked = { has: () => true, sign: () => undefined }
  const sends = [signer, locked, signer].map((one) =>
    sendFromAccount(context, { from, to: from, value: 1n }, one, patient),
  )
  const outcomes = await settle(sends)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(nonces).toEqual([0n, 1n])
})

test('a transaction whose caller gave up in the line is not sent', async () => {
  const { context, nonces, settle } = slowPool()
  const controller = new AbortController()
  const first = sendFromAccount(context, { from, to: from, value: 1n }, signer, patient)
  const second = sendFromAccount(context, { from, to: from, value: 2n }, signer, controller.signal)
  const third = sendFromAccount(context, { from, to: from, value: 3n }, signer, patient)
  controller.abort()
  const outcomes = await settle([first, second, third])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(nonces).toEqual([0n, 1n])
})
