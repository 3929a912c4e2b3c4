import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keccak256 } from '../base/crypto/crypto.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { Redaction } from '../base/logging/redaction.ts'
import type { ForkKey } from '../chain/state/forkSource.ts'
import { CachedForkSource, throwMissing } from './cachedForkSource.ts'
import type { ForkBlock } from './forkBlock.ts'
import { ForkCache } from './forkCache.ts'
import { ForkLoader } from './forkLoader.ts'
import type { RemoteCall, RemoteClient } from './remote/remoteClient.ts'

const hash = new Uint8Array(32).fill(9)
const code = fromHex('0x6001')
const contract = new Uint8Array(20).fill(1)
const nobody = new Uint8Array(20).fill(2)
const slot = new Uint8Array(32).fill(3)
const forkBlock = { chainId: 1n, hash, header: { number: 5n } } as unknown as ForkBlock // all that is used here

const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
  eth_getBlockByNumber: ([number]) => ({ number, hash: toHex(hash) }),
  eth_getBalance: ([address]) => (address === toHex(nobody) ? '0x0' : '0x10'),
  eth_getTransactionCount: ([address]) => (address === toHex(nobody) ? '0x0' : '0x2'),
  eth_getCode: ([address]) => (address === toHex(nobody) ? '0x' : toHex(code)),
  eth_getStorageAt: () => '0x7',
}

let folder: string
let cache: ForkCache
let bodies: (readonly RemoteCall[])[]
let loader: ForkLoader
let source: CachedForkSource

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-loader-'))
  cache = await ForkCache.open({ path: join(folder, 'fork.mdb') })
  bodies = []
  const client = {
    redaction: new Redaction('http://127.0.0.1', {}),
    batch: async (calls: readonly RemoteCall[]) => {
      bodies.push(calls)
      return calls.map(({ method, params }) => ({ result: answers[method]?.(params) }))
    },
  } as unknown as RemoteClient // all that a loader uses
  loader = new ForkLoader(forkBlock, () => client, cache)
  source = new CachedForkSource(
    5,
    cache,
    throwMissing((keys) => loader.load(keys)),
  )
})
afterEach(async () => {
  await cache.close()
  rmSync(folder, { recursive: true })
})

const accountOf = (address: Uint8Array): ForkKey => ({ kind: 'account', address })
const slotKey: ForkKey = { kind: 'slot', address: contract, slot }

test('what is wanted in one turn goes in one batch, each value once, and is kept', async () => {
  expect(() => source.account(contract)).toThrow('not known yet')
  await Promise.all([
    loader.load([accountOf(contract), slotKey]),
    loader.load([accountOf(contract), accountOf(nobody), { kind: 'hash', number: 4 }]),
  ])
  expect(bodies).toHaveLength(1)
  // Three calls for each account, one for slot and hash, and the block itself.
  expect(bodies[0]).toHaveLength(3 + 3 + 1 + 1 + 1)
  expect(source.account(contract)).toEqual({ nonce: 2n, balance: 16n, codeHash: keccak256(code) })
  expect(source.code(keccak256(code))).toEqual(code)
  expect(source.account(nobody)).toBeUndefined()
  expect(source.blockHash(4)).toEqual(hash)
  expect(source.blockHash(5)).toBeUndefined()
  expect(source.storage(contract, slot)[31]).toBe(7)
  // An account that does not exist has no storage to ask for.
  expect(source.storage(nobody, slot)).toEqual(new Uint8Array(32))
  await loader.load([accountOf(contract), slotKey])
  expect(bodies).toHaveLength(1)
})

test('a failed batch fails all who wait for it, and the next one asks again', async () => {
  const real = answers.eth_getBalance
  ;(answers as Record<string, unknown>).eth_getBalance = () => 'nonsense'
  await expect(loader.load([accountOf(contract)])).rejects.toThrow('an invalid QUANTITY')
  ;(answers as Record<string, unknown>).eth_getBalance = real
  await loader.load([accountOf(contract)])
  expect(source.account(contract)?.balance).toBe(16n)
})
