import { expect, test } from 'vitest'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { secp256k1 } from '../../base/crypto/crypto.ts'
import { KeyedQueue } from '../../base/threads/keyedQueue.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import { sendFromAccount } from './accountTransactions.ts'

const from = new Uint8Array(20).fill(1)
const key = new Uint8Array(32).fill(1)
const signer = { has: () => true, sign: (_: Uint8Array, hash: Uint8Array) => secp256k1.sign(hash, key) }
const patient = { signal: new AbortController().signal, answerWithinMs: 60_000 }

/** A pool that takes its time, and rejects what has no value. */
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
      waitForSeal: async () => {},
      counts: () => ({ pending: 0, queued: 0 }),
    },
    state: () => ({ balance: () => 10n }) as never,
    executor: { estimateGas: async () => ({ gas: 21_000n, failure: undefined }) },
  })
  /** Lets the pool answer until everybody has a response. */
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

test('nonces are in a row, and those of rejected transactions are used by the next', async () => {
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
  const second = sendFromAccount(context, { from, to: from, value: 2n }, signer, {
    ...patient,
    signal: controller.signal,
  })
  const third = sendFromAccount(context, { from, to: from, value: 3n }, signer, patient)
  controller.abort()
  const outcomes = await settle([first, second, third])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(nonces).toEqual([0n, 1n])
})

test('a transaction whose caller gave up while it was filled in is not sent', async () => {
  const { context, facts } = estimatingChain(21_000n)
  const controller = new AbortController()
  const executor = {
    ...context.chain.executor,
    estimateGas: async () => {
      controller.abort()
      return { gas: 21_000n, failure: undefined }
    },
  }
  const chain = new Proxy(context.chain, {
    get: (target, name) => (name === 'executor' ? executor : Reflect.get(target, name)),
  })
  const sending = sendFromAccount({ ...context, chain }, { from, to: from }, signer, {
    ...patient,
    signal: controller.signal,
  })
  await expect(sending).rejects.toMatchObject({ code: -32002 })
  expect(facts.sent).toEqual([])
})

/** A chain whose pool takes everything, and a record of what it was asked. */
const estimatingChain = (gas: bigint, pending = 0) => {
  const facts = { asked: [] as { request: TransactionRequest; tag: unknown }[], sent: [] as Transaction[] }
  let isSealed = false
  const chain = fakeChain({
    config: parseChainConfig({ chainId: 7, homesteadBlock: 0 }),
    head: () => ({ number: 0, hash: new Uint8Array(32), time: 0 }),
    blocks: { header: () => ({ baseFeePerGas: 1n }) as never },
    fees: { suggestTip: () => 20n },
    state: () => ({ balance: () => 10n }) as never,
    pool: {
      nextNonce: () => BigInt(facts.sent.length),
      counts: () => ({ pending, queued: 0 }),
      submit: async (raw) => {
        facts.sent.push(decodeTransaction(raw))
        return raw.subarray(0, 32)
      },
      // The first block never comes.
      waitForSeal: async () => {
        if (isSealed) return
        isSealed = true
        await new Promise(() => {})
      },
    },
    executor: {
      estimateGas: async ({ request }, at) => {
        facts.asked.push({ request, tag: at.kind === 'tag' ? at.tag : at })
        return { gas, failure: undefined }
      },
    },
  })
  return { context: { chain, senderLock: new KeyedQueue({ name: 'turn' }) }, facts }
}

test('a transaction whose block does not come in time is answered with its hash', async () => {
  const { context, facts } = estimatingChain(21_000n)
  const hash = await sendFromAccount(context, { from, to: from }, signer, { ...patient, answerWithinMs: 1 })
  expect(hash).toHaveLength(32)
  expect(facts.sent).toHaveLength(1)
})

test('an account that waits for a block goes on sending', async () => {
  const { context, facts } = estimatingChain(21_000n)
  void sendFromAccount(context, { from, to: from }, signer, patient)
  await sendFromAccount(context, { from, to: from }, signer, patient)
  expect(facts.sent.map(({ nonce }) => nonce)).toEqual([0n, 1n])
})

test.each([
  [21_000n, 90_000n],
  [90_001n, 90_001n],
])('a transaction that needs %d gas gets %d', async (needed, given) => {
  const { context, facts } = estimatingChain(needed)
  void sendFromAccount(context, { from, to: from, gasPrice: 1n }, signer, patient)
  await expect.poll(() => facts.sent.map(({ gasLimit }) => gasLimit)).toEqual([given])
  // What it pays is for the pool to judge.
  expect(
    facts.asked.map(({ request }) => Object.keys(request).filter((name) => /fee|price/i.test(name))),
  ).toEqual([[]])
})

test.each([
  [0, 'latest'],
  [1, 'pending'],
  [10_000, 'latest'],
])('behind %d transactions the gas is estimated on %s', async (pending, tag) => {
  const { context, facts } = estimatingChain(21_000n, pending)
  void sendFromAccount(context, { from, to: from }, signer, patient)
  await expect.poll(() => facts.asked.map((asked) => asked.tag)).toEqual([tag])
})

test('more than the account has is left to the pool, which says how much is missing', async () => {
  const { context, facts } = estimatingChain(21_000n)
  void sendFromAccount(context, { from, to: from, value: 11n }, signer, patient)
  await expect.poll(() => facts.sent).toHaveLength(1)
  expect(facts.asked).toEqual([])
})

test('nothing is run for an account that is not of this node', async () => {
  const { context, facts } = estimatingChain(21_000n)
  const stranger = { has: () => false, sign: () => undefined }
  await expect(sendFromAccount(context, { from, to: from }, stranger, patient)).rejects.toMatchObject({
    message: 'unknown account',
  })
  expect(facts.asked).toEqual([])
})
