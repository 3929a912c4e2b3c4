import { expect, test } from 'vitest'
import { loadConfig } from '../load.ts'
import { settingValue } from './sections.ts'
import { settingEntries } from './settings.ts'

const { config } = loadConfig({
  flags: [
    '--home',
    '/no/such',
    '--json-rpc.gas-cap',
    '30000',
    '--txpool.price-bump=12',
    '--gateway.from',
    '7',
  ],
  env: {},
})

test('settings stand in sections, in camel case, as what they are used as', () => {
  expect(config.home).toBe('/no/such')
  expect(config.minimumGasPrices).toBe(0n)
  expect(config.jsonRpc.gasCap).toBe(30_000n)
  expect(config.txpool).toEqual({
    accountSlots: 16,
    accountQueue: 64,
    globalSlots: 5120,
    globalQueue: 1024,
    parkedBytes: 67_108_864,
    order: 'fees',
    priceBump: 12n,
    lifetime: 10_800_000,
    pendingLifetime: 86_400_000,
  })
  expect(config.gateway).toMatchObject({
    from: 7,
    chainId: undefined,
    family: undefined,
    decimals: undefined,
  })
  expect(config.statesync.trustHeight).toBe(0)
})

test('no section can be changed', () => {
  expect(Object.isFrozen(config)).toBe(true)
  expect(Object.isFrozen(config.jsonRpc)).toBe(true)
})

test('a value is also found by the name of its setting', () => {
  expect(settingValue(config, 'json-rpc.gas-cap')).toBe(30_000n)
  for (const [name, { default: value }] of settingEntries)
    if (!['home', 'json-rpc.gas-cap', 'txpool.price-bump', 'gateway.from'].includes(name))
      expect(settingValue(config, name)).toEqual(value)
})
