import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeMempool } from '../../../test/support/fakeMempool.ts'
import { coin, testHead } from '../../../test/support/pool.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { createLogger } from '../../base/logging/log.ts'
import { limitExceeded } from '../../chain/chainError.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { dialectOf } from '../../families/families.ts'
import { defaultPoolSettings, type PoolSettings } from '../../pool/types.ts'
import { encodeForMempool } from './encodeForMempool.ts'
import { GatewayPool } from './gatewayPool.ts'
import type { GatewayPoolOptions, SendTimeouts } from './gatewayPoolOptions.ts'

const alice = privateKeyToAccount(`0x${'11'.repeat(32)}`)

let folder: string
let pools: GatewayPool[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'away-'))
})
afterEach(async () => {
  for (const pool of pools) await pool.close()
  pools = []
  rmSync(folder, { recursive: true })
})

// Sending does not use the rest.
const chainInfo = {
  family: 'ethermint',
  nativeChainId: '9001',
  evmPackage: 'ethermint.evm.v1',
  hasAppMempool: false,
} as ChainInfo

const fund = (): FakeMempool => {
  const chain = new FakeMempool('flood')
  chain.fund(alice.address, 1_000n * coin)
  return chain
}

const open = (
  chain: FakeMempool,
  whileAway: GatewayPoolOptions['whileAway'],
  times: Partial<SendTimeouts> = {},
  assertWritable: () => void = () => {},
  settings: Partial<PoolSettings> = {},
) => {
  const pool = new GatewayPool(
    {
      assertWritable,
      chainInfo,
      settings: { ...defaultPoolSettings, ...settings },
      journalFolder: folder,
      whileAway,
      times: { broadcastMs: 500, retryMs: 20, seenCacheMs: 30, ...times },
    },
    {
      upstream: Object.assign(chain, { isAway: () => chain.isDown }),
      head: { ...testHead, number: BigInt(chain.height) },
      locate: chain.locate,
      locateBySender: chain.locateBySender,
      log: createLogger('silent'),
    },
  )
  pools.push(pool)
  return pool
}

const sign = async (nonce: number, gas = 21_000n, from = alice, price = 10): Promise<Uint8Array> =>
  fromHex(
    await from.signTransaction({
      chainId: 31_337,
      to: from.address,
      gas,
      maxFeePerGas: parseGwei(`${price}`),
      maxPriorityFeePerGas: parseGwei(`${price / 10}`),
      nonce,
    }),
  )

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'taken',
    (error: { kind?: string; message: string }) => `${error.kind}: ${error.message}`,
  )

test('what comes while the chain is away is kept, also of accounts that nobody knows, across restarts', async () => {
  const chain = fund()
  chain.isDown = true
  const first = open(chain, 'keep')
  const raws = [await sign(0), await sign(1)]
  const hashes = await Promise.all(raws.map((raw) => first.submit(raw)))
  expect(toHex(first.get(hashes[1] as Uint8Array)?.sender ?? new Uint8Array())).toBe(
    alice.address.toLowerCase(),
  )
  expect(first.refusals().map(({ reason }) => reason)).toEqual(
    Array(2).fill('kept here until the chain answers: its account is not known yet'),
  )
  await pools.pop()?.close()
  const second = open(chain, 'keep')
  expect(second.get(hashes[0] as Uint8Array)).toBeDefined()
  chain.isDown = false
  await eventually(() => chain.sent.length >= 2)
  expect(new Set(chain.sent)).toEqual(new Set(hashes.map((hash) => toHex(hash))))
  await eventually(() => second.refusals().length === 0)
})

test('what a node took before a restart is shown while the chain is away', async () => {
  const chain = fund()
  const first = open(chain, 'keep')
  const raws = [await sign(0), await sign(1)]
  const hashes = await Promise.all(raws.map((raw) => first.submit(raw)))
  await pools.pop()?.close()
  chain.isDown = true
  const second = open(chain, 'keep')
  const sender = alice.address.toLowerCase()
  for (const [index, hash] of hashes.entries()) {
    const found = second.get(hash)
    expect(found && toHex(found.sender)).toBe(sender)
    expect(found?.raw).toEqual(raws[index])
  }
  expect(second.counts()).toEqual({ pending: 0, queued: 2 })
  const queued = second.content().queued.get(sender) ?? []
  expect(queued.map(({ hash }) => toHex(hash))).toEqual(hashes.map((hash) => toHex(hash)))
  expect(second.contentOf(fromHex(alice.address))).toEqual({ pending: [], queued })
  // Its sender is in doubt and sends one again.
  expect(await second.submit(raws[0] as Uint8Array)).toEqual(hashes[0])
  expect(second.content().queued.get(sender)).toHaveLength(2)
  chain.isDown = false
  await second.restored
  await eventually(() => second.counts().pending === 2)
  expect(second.counts()).toEqual({ pending: 2, queued: 0 })
})

test('what was kept stays although a node that has just started rejects it', async () => {
  const chain = fund()
  chain.isDown = true
  const pool = open(chain, 'keep', { retryMs: 50 })
  const hash = await pool.submit(await sign(0))
  chain.refusal = 'insufficient fee'
  chain.isDown = false
  await eventually(() => chain.sent.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(pool.get(hash)).toBeDefined()
  expect(pool.refusals()).toMatchObject([{ nonce: 0n, isGivenUp: false }])
  chain.refusal = undefined
  await eventually(() => {
    chain.produceBlock()
    return chain.included.includes(toHex(hash))
  })
})

test('what comes back as one of others is kept here while the pool has no room to keep it', async () => {
  const [bob, carol] = ['22', '33'].map((byte) => privateKeyToAccount(`0x${byte.repeat(32)}`)) as [
    typeof alice,
    typeof alice,
  ]
  const chain = fund()
  for (const { address } of [bob, carol]) chain.fund(address, 1_000n * coin)
  const settings = { globalSlots: 1, accountSlots: 1, parkedBytes: 1 }
  const pool = open(chain, 'keep', { retryMs: 200 }, undefined, settings)
  await pool.submit(await sign(0))
  // The first is parked, and fills the bound for those.
  await pool.submit(await sign(0, 21_000n, bob, 20))
  chain.isDown = true
  const raw = await sign(0, 21_000n, carol, 40)
  const hash = await pool.submit(raw)
  chain.isDown = false
  // Another client has sent it to a node.
  const wrapped = encodeForMempool(raw, fromHex(carol.address), dialectOf(chainInfo))
  await chain.broadcast(wrapped, AbortSignal.timeout(100))
  await pool.nextNonce(fromHex(carol.address))
  expect(pool.pool.get(hash)).toMatchObject({ isLocal: false })
  await new Promise((resolve) => setTimeout(resolve, 500))
  // The node loses it.
  chain.forget()
  chain.sent.length = 0
  pool.onHead({ ...testHead, number: BigInt(chain.height), gasLimit: testHead.gasLimit + 1n })
  await eventually(() => pool.pool.get(hash)?.isLocal !== false)
  expect(pool.get(hash)).toBeDefined()
  for (const { hash: other } of [...pool.pool.transactions()]) pool.pool.remove(other)
  await eventually(() => chain.sent.includes(toHex(hash)))
})

test('what is kept is shown as queued', async () => {
  const chain = fund()
  chain.isDown = true
  const pool = open(chain, 'keep')
  // A sender may try another one of the same nonce; the newest is shown.
  for (const raw of [await sign(1), await sign(0), await sign(1, 22_000n)]) await pool.submit(raw)
  expect(pool.counts()).toEqual({ pending: 0, queued: 3 })
  const queued = pool.content().queued.get(alice.address.toLowerCase()) ?? []
  expect(queued.map(({ transaction: { nonce, gasLimit } }) => [nonce, gasLimit])).toEqual([
    [0n, 21_000n],
    [1n, 22_000n],
  ])
  expect(pool.contentOf(fromHex(alice.address))).toEqual({ pending: [], queued })
  chain.isDown = false
  await eventually(() => pool.counts().queued === 0)
  expect(pool.content().queued).toEqual(new Map())
})

test('what the chain rejects at last can be read with the reason', async () => {
  const chain = fund()
  chain.isDown = true
  const pool = open(chain, 'keep')
  const poor = privateKeyToAccount(`0x${'33'.repeat(32)}`)
  const raw = await poor.signTransaction({
    chainId: 31_337,
    to: poor.address,
    gas: 21_000n,
    maxFeePerGas: parseGwei('10'),
    nonce: 0,
  })
  await pool.submit(fromHex(raw))
  chain.isDown = false
  await eventually(() => pool.refusals().some(({ isGivenUp }) => isGivenUp))
  expect(pool.refusals()[0]?.reason).toMatch(/^insufficient funds/)
})

test('by setting it is rejected with what became of it', async () => {
  const chain = fund()
  const pool = open(chain, 'refuse')
  await pool.submit(await sign(0))
  chain.isDown = true
  expect(await codeOf(pool.submit(await sign(1)))).toMatch(/^unavailable: .*is not kept/)
  // The chain goes away in the middle of a broadcast.
  chain.isDown = false
  chain.unansweredCount = 1
  expect(await codeOf(pool.submit(await sign(1)))).toMatch(
    /^unavailable: .*not kept.*though a node may have it/,
  )
  expect(pool.counts().pending).toBe(1)
})

test('what waits behind a nonce that was given up is given up after a restart too', async () => {
  const chain = fund()
  const first = open(chain, 'keep', { refusalMs: 40, orphanMs: 1_000_000 })
  // Kept while the chain is away, so it is acknowledged; then the chain rejects it for good.
  await first.submit(await sign(0))
  chain.refusal = 'gas wanted exceeds something'
  const [given, behind] = [await sign(1), await sign(2)]
  chain.unansweredCount = 1
  await first.submit(given)
  await first.submit(behind)
  await eventually(() => first.refusals().some(({ isGivenUp, nonce }) => isGivenUp && nonce === 1n))
  expect(first.counts().queued).toBe(1)
  await pools.pop()?.close()
  const second = open(chain, 'keep', { orphanMs: 10 })
  await second.restored
  expect(second.refusals().map(({ nonce }) => nonce)).toContain(1n)
  await eventually(() => second.counts().queued === 0)
  expect(second.refusals().at(-1)?.reason).toMatch(/^it waited behind nonce 1, which was given up/)
})

test('what could not be kept is rejected, also while the chain would take it', async () => {
  const chain = fund()
  let isFull = true
  const pool = open(chain, 'keep', {}, () => {
    if (isFull) throw limitExceeded('the disk is nearly full')
  })
  expect(await codeOf(pool.submit(await sign(0)))).toBe('limit exceeded: the disk is nearly full')
  expect(chain.sent).toEqual([])
  isFull = false
  expect(await codeOf(pool.submit(await sign(0)))).toBe('taken')
})
