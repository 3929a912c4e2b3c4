import { expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { ServedChain } from '../chain/servedChain.ts'
import { applyReload, countProcesses, mainShareOf, shareOf, shareOfKeys } from './shares.ts'

const configOf = (options: Parameters<typeof loadConfig>[0]['options'] = {}): Config =>
  loadConfig({ options: { home: '/nowhere', ...options } }).config

const served = { shared: {}, chain: {} } as unknown as ServedChain

test('limits of all clients are divided, limits of one stay', () => {
  const { jsonRpc } = configOf({ jsonRpc: { rateLimit: 10, callWorkers: 1 } })
  const share = shareOf(jsonRpc, 3)
  expect(share).toMatchObject({ rateLimit: 4, maxOpenConnections: 5462, callWorkers: 1 })
  expect(share.requestMemory).toBe(64_000_000)
  expect(mainShareOf(jsonRpc, 3).requestMemory).toBe(64_000_000)
  expect(share.maxBodySize).toBe(jsonRpc.maxBodySize)
  expect(mainShareOf(jsonRpc, 0)).toBe(jsonRpc)
})

test('a share still holds the largest body', () => {
  const { jsonRpc } = configOf({ jsonRpc: { requestMemory: 40_000_000, maxBodySize: 8_000_000 } })
  expect(shareOf(jsonRpc, 4).requestMemory).toBe(32_000_000)
})

test('the disk space of unread traces is divided too, and a share still holds the largest trace', () => {
  const { jsonRpc } = configOf()
  const divided = { traceSpool: 2_000_000_000 / 2, traceSpoolPerClient: 512_000_000 }
  for (const share of [shareOf(jsonRpc, 1), mainShareOf(jsonRpc, 1)]) expect(share).toMatchObject(divided)
  const least = { traceSpool: 512_000_000, traceSpoolPerClient: 512_000_000 }
  for (const share of [shareOf(jsonRpc, 8), mainShareOf(jsonRpc, 8)]) expect(share).toMatchObject(least)
  const { jsonRpc: small } = configOf({ jsonRpc: { traceMaxSize: 10_000_000 } })
  const shares = { traceSpool: 400_000_000, traceSpoolPerClient: 200_000_000 }
  for (const share of [shareOf(small, 4), mainShareOf(small, 4)]) expect(share).toMatchObject(shares)
})

test('no limit stays none', () => {
  expect(shareOf(configOf({ jsonRpc: { rateLimit: 0 } }).jsonRpc, 4).rateLimit).toBe(0)
  const cost = { cheap: 1, state: 1, logs: 1, evm: 1, trace: 1, write: 1 }
  const key = { name: 'a', sha256: '', rate: 0, burst: 0, namespaces: undefined, cost }
  expect(shareOfKeys([key], 4)).toEqual([key])
  expect(shareOfKeys([{ ...key, rate: 8, burst: 10 }], 4)).toEqual([{ ...key, rate: 2, burst: 3 }])
})

test('how many processes there are', () => {
  const own = configOf({ genesis: '/nowhere/genesis.json' })
  expect([1, 2, 3, 4, 5, 64].map((cores) => countProcesses(own, served, cores))).toEqual([0, 0, 2, 3, 4, 4])
  expect(countProcesses(configOf(), served, 64)).toBe(0)
  expect(countProcesses(configOf({ jsonRpc: { workers: 2 } }), served, 1)).toBe(2)
  expect(countProcesses(configOf({ jsonRpc: { workers: 2, enable: false } }), served, 8)).toBe(0)
  expect(countProcesses(configOf({ jsonRpc: { workers: 2 } }), { ...served, shared: undefined }, 8)).toBe(0)
  const forked = { shared: {}, chain: { fork: {} } } as unknown as ServedChain
  expect(countProcesses(configOf({ jsonRpc: { workers: 2 } }), forked, 8)).toBe(0)
})

test('a reload changes what running processes take, and never takes TLS away', () => {
  const tls = { cert: 'cert', key: 'key' } as never // not looked at
  const options = { ...configOf({ jsonRpc: { gasCap: 30_000n } }), keys: undefined, tls }
  const { jsonRpc: settings } = configOf({ jsonRpc: { gasCap: 40_000n, rateLimit: 7 } })
  const reloaded = applyReload(options, { settings, keys: [], tls: undefined })
  expect(reloaded.tls).toBe(tls)
  expect(reloaded.keys).toEqual([])
  expect(reloaded.jsonRpc).toMatchObject({ gasCap: 30_000n, rateLimit: 7 })
  const other = { cert: 'other', key: 'key' } as never // not looked at
  expect(applyReload(options, { settings, keys: [], tls: other }).tls).toBe(other)
  const plain = { ...options, tls: undefined }
  expect(applyReload(plain, { settings, keys: [], tls: other }).tls).toBeUndefined()
})
