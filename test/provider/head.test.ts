import { afterEach, expect, test, vi } from 'vitest'
import { createLightProvider, ForkError } from '../../src/provider/index.ts'
import { type Rotation, SyntheticChain } from './syntheticChain.ts'

const day = 86_400

const now = (): number => Math.floor(Date.now() / 1_000)

interface Opened {
  readonly chain: SyntheticChain
  /** The newest height of the endpoint. */
  latest: number
  readonly open: (
    options?: Partial<Parameters<typeof createLightProvider>[0]>,
  ) => ReturnType<typeof createLightProvider>
}

/** A chain that ends now, of so many headers. */
const openChain = (heights: number, interval: number, rotation: Rotation): Opened => {
  const chain = new SyntheticChain({ heights, from: now() - heights * interval, interval, rotation })
  const opened: Opened = {
    chain,
    latest: heights,
    open: (options = {}) =>
      createLightProvider({
        urls: ['http://one.example'],
        trust: { height: 1, hash: chain.hashAt(1) },
        fetch: chain.fetchAt(() => opened.latest),
        refreshMs: 0,
        ...options,
      }),
  }
  return opened
}

test('skips a week of headers while the validators stay', async () => {
  const { open } = openChain(10_080, 60, { every: 20_000, changes: 0 })
  expect(await open().head()).toMatchObject({ number: 10_079, validators: 4, power: 40n })
})

test('follows sets that change by more than a third at once, and all of their members', async () => {
  const half = openChain(400, 60, { every: 7, changes: 2 })
  expect((await half.open().head()).number).toBe(399)
  const whole = openChain(40, 60, { every: 10, changes: 4 })
  expect((await whole.open().head()).number).toBe(39)
})

test('ends with the trusting period', async () => {
  const { open } = openChain(15, day, { every: 100, changes: 0 })
  const maxAgeMs = 2 * day * 1_000
  await expect(open({ maxAgeMs }).head()).rejects.toThrow('older than the trusting period')
  expect((await open({ maxAgeMs, trustingPeriodMs: 20 * day * 1_000 }).head()).number).toBe(14)
})

afterEach(() => {
  vi.useRealTimers()
})

test('proves older blocks after longer than the trusting period', async () => {
  const hours = 480
  const opened = openChain(hours, 3_600, { every: 1_000, changes: 0 })
  const end = Date.now()
  const provider = opened.open({ maxAgeMs: 2 * day * 1_000 })
  for (const height of [96, 192, 288, 384, hours]) {
    vi.useFakeTimers({ toFake: ['Date'], now: end - (hours - height) * 3_600_000 })
    opened.latest = height
    expect((await provider.head()).number).toBe(height - 1)
  }
  expect(await provider.request({ method: 'eth_getHeaderByNumber', params: ['0x190'] })).toMatchObject({
    number: '0x190',
  })
})

test('says that the clock of the machine went back', async () => {
  const { open } = openChain(50, 1, { every: 100, changes: 0 })
  const provider = open({ refreshMs: 60_000 })
  await provider.head()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
  await expect(provider.head()).rejects.toThrow('the clock of this machine went back')
})

test('refuses headers that are ahead of the clock', async () => {
  const { open, ...opened } = openChain(100, 60, { every: 200, changes: 0 })
  expect((await open().head()).number).toBe(99)
  const ahead = new SyntheticChain({
    heights: 100,
    from: now(),
    interval: 60,
    rotation: { every: 200, changes: 0 },
  })
  const provider = createLightProvider({
    urls: ['http://one.example'],
    trust: { height: 1, hash: ahead.hashAt(1) },
    fetch: ahead.fetchAt(() => opened.latest),
  })
  await expect(provider.head()).rejects.toThrow('ahead of the clock')
})

test('says that its store is damaged', async () => {
  const { open } = openChain(10, 1, { every: 100, changes: 0 })
  const store = { load: () => '{"chainId":"x"}', save: () => {} }
  await expect(open({ store, trust: undefined }).head()).rejects.toThrow('what the store has is damaged')
})

test('keeps the newest head when an endpoint goes back', async () => {
  const opened = openChain(50, 1, { every: 100, changes: 0 })
  const provider = opened.open()
  expect((await provider.head()).number).toBe(49)
  opened.latest = 30
  expect((await provider.head()).number).toBe(49)
})

test('stops for ever where validators signed two blocks of one height', async () => {
  const opened = openChain(50, 1, { every: 100, changes: 0 })
  const provider = opened.open()
  await provider.head()
  opened.chain.fork()
  const error = await provider.head().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ForkError)
  expect(error).toMatchObject({
    message: expect.stringMatching(/^validators signed two blocks at height 50: 0x/),
    evidence: { known: expect.any(String), signed: { header: {}, commit: {} } },
  })
  await expect(provider.request({ method: 'eth_blockNumber' })).rejects.toBe(error)
})

test('finds a fork at the endpoint that it does not ask', async () => {
  const opened = openChain(50, 1, { every: 100, changes: 0 })
  const { chain } = opened
  const honest = chain.fetchAt(() => opened.latest)
  let isForked = false
  const provider = opened.open({
    urls: ['http://one.example', 'http://two.example'],
    fetch: async (url, init) => {
      if (!url.includes('two')) return honest(url, init)
      if (!isForked) return honest(url, init)
      chain.fork()
      return honest(url, init)
    },
  })
  await provider.head()
  isForked = true
  await expect(
    (async () => {
      for (;;) await provider.head()
    })(),
  ).rejects.toThrow('validators signed two blocks')
})

test('finds a fork at an endpoint that is always ahead', async () => {
  const { chain, open } = openChain(50, 1, { every: 100, changes: 0 })
  const [honest, forked] = [chain.fetchAt(() => 50), chain.fetchForkAt(() => 51)]
  const provider = open({
    urls: ['http://one.example', 'http://two.example'],
    fetch: (url, init) => (url.includes('two') ? forked : honest)(url, init),
  })
  const asked = async () => {
    for (let round = 0; round < 20; round++) await provider.head()
  }
  await expect(asked()).rejects.toThrow('validators signed two blocks at height 50')
})

test('an endpoint that never ends its proof does not hold up the next one', async () => {
  const { chain, open } = openChain(40, 60, { every: 100, changes: 0 })
  const honest = chain.fetchAt(() => 40)
  let asked = 0
  const provider = open({
    urls: ['http://one.example', 'http://two.example'],
    timeoutMs: 1_000,
    // It gives the trusted block, and its next answer never comes.
    fetch: (url, init) => (url.includes('one') && ++asked > 1 ? new Promise(() => {}) : honest(url, init)),
  })
  expect((await provider.head()).number).toBe(39)
  expect(asked).toBeGreaterThan(1)
})
