import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openFleetTables } from '../../../test/support/fleetTables.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../../../test/support/postgres.ts'
import type { ApiKey } from '../../rpc/access/apiKey.ts'
import { ApiKeys, hashKey } from '../../rpc/access/apiKeys.ts'
import { KeyRows } from './keyRows.ts'
import { SharedKeys } from './sharedKeys.ts'

const closing: (() => unknown)[] = []
const [rate, burst] = [0.001, 100]

/** The keys of one gateway. The rate gives nothing back while a test runs. */
const openKeys = (): { readonly keys: ApiKeys; readonly key: ApiKey } => {
  const cost = { cheap: 1, state: 1, logs: 1, evm: 1, trace: 1, write: 1 }
  const options = { name: 'acme', sha256: hashKey('secret'), rate, burst, namespaces: undefined, cost }
  const keys = new ApiKeys(
    [options, { ...options, name: 'free', sha256: hashKey('free'), rate: 0 }],
    new Registry(),
  )
  return { keys, key: keys.find({ headers: { 'x-api-key': 'secret' } }) as ApiKey }
}

/** Calls until it is told to wait, or so often. Returns how many calls were taken. */
const call = (key: ApiKey, times: number): number => {
  let taken = 0
  while (taken < times && key.charge({ name: 'eth_chainId' }) === undefined) taken++
  return taken
}

describe.skipIf(!hasPostgres)(`the rates of API keys over a fleet${postgresNote}`, () => {
  let server: PostgresServer

  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.close())
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  /** Opens gateways of one fleet. Time does not pass between them. */
  const begin = async () => {
    const open = await openFleetTables(server, closing)
    return async (id: string, now?: () => number) => {
      const { database } = open(id)
      const shared = new SharedKeys(new KeyRows(database), now)
      closing.push(() => shared.stop())
      const { keys, key } = openKeys()
      shared.start(() => keys.limited())
      await shared.exchange()
      return { database, shared, key }
    }
  }

  test('what was used at one gateway is charged at the others', async () => {
    const open = await begin()
    const [one, two] = [await open('one'), await open('two')]
    expect(call(one.key, 60)).toBe(60)
    await one.shared.exchange()
    await two.shared.exchange()
    expect(call(two.key, burst)).toBe(40)
    expect(two.key.secondsToWait()).toBeGreaterThan(0)
    await two.shared.exchange()
    await one.shared.exchange()
    expect(call(one.key, burst)).toBe(0)
    // Once, and not again with each exchange.
    for (const gateway of [one, two, one, two]) await gateway.shared.exchange()
    expect(one.key.secondsToWait()).toBeLessThanOrEqual(Math.ceil(1 / rate) + 1)
  })

  test('without a word of each other each takes the burst once, and what was too much is waited for', async () => {
    const open = await begin()
    const [one, two] = [await open('one'), await open('two')]
    expect(call(one.key, 200) + call(two.key, 200)).toBe(2 * burst)
    await one.shared.exchange()
    await two.shared.exchange()
    await one.shared.exchange()
    for (const { key } of [one, two]) expect(key.secondsToWait()).toBe(Math.ceil((burst + 1) / rate))
  })

  test('a gateway that comes later is not charged what was used before it', async () => {
    const open = await begin()
    const one = await open('one')
    call(one.key, burst)
    await one.shared.exchange()
    const two = await open('two')
    await two.shared.exchange()
    expect(call(two.key, 200)).toBe(burst)
  })

  test('nor one that starts over while a key is idle, once that is used again', async () => {
    const open = await begin()
    const one = await open('one')
    call(one.key, burst)
    await one.shared.exchange()
    await one.database.run((sql) => sql`update keys set used_at = now() - interval '1 hour'`)
    const [two, three] = [await open('two'), await open('three')]
    expect(call(two.key, 30)).toBe(30)
    await two.shared.exchange()
    await three.shared.exchange()
    expect(call(two.key, 200)).toBe(burst - 30)
    expect(call(three.key, 200)).toBe(burst - 30)
  })

  test('while the database is away each counts alone, and starts over when it is back', async () => {
    const open = await begin()
    let now = 0
    const [one, two] = [await open('one', () => now), await open('two', () => now)]
    call(one.key, 30)
    await one.shared.exchange()
    // It did not hear of the others for so long.
    now = 60_000
    await two.shared.exchange()
    expect(call(two.key, 200)).toBe(burst)
    two.database.close()
    await two.shared.exchange()
    expect(call(one.key, 200)).toBe(burst - 30)
  })
})
