import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/support/eventually.ts'
import { fakeChain } from '../../test/support/fakeChain.ts'
import { createLogger } from '../base/logging/log.ts'
import type { ClientConnection, Notification } from '../base/notification.ts'
import type { Header } from '../chain/block/header.ts'
import type { Events, HeadChange } from '../chain/port/events.ts'
import type { LogPattern } from '../chain/port/logs.ts'
import { CriteriaMemory } from './criteriaMemory.ts'
import { matches, parseLogKeys, toPatternKeys } from './feeds/logKeys.ts'
import { SubscriptionManager, type SubscriptionRequest } from './subscriptionManager.ts'

/** A client that keeps what it gets, and reads when it is told to. */
class TestConnection implements ClientConnection {
  readonly told: unknown[] = []
  isFull = false
  closeMessage: string | undefined
  readonly #drained: (() => void)[] = []
  readonly #closed: (() => void)[] = []

  push(notification: Notification, name: Uint8Array): void {
    const framed = notification.framedBy({ open: () => Buffer.alloc(0), close: Buffer.from('\n') })
    let text = ''
    const stream = { writableLength: 0, write: (bytes: Uint8Array) => (text += Buffer.from(bytes)) }
    framed.writeTo(stream as never, name, () => {})
    for (const line of text.trimEnd().split('\n')) {
      const { params } = JSON.parse(line) as { params: { subscription: string; result: unknown } }
      expect(params.subscription).toBe(Buffer.from(name).toString())
      this.told.push(params.result)
    }
  }

  onceDrained(listener: () => void): void {
    this.#drained.push(listener)
  }

  onceClosed(listener: () => void): void {
    this.#closed.push(listener)
  }

  drain(): void {
    this.isFull = false
    for (const listener of this.#drained.splice(0)) listener()
  }

  close(): void {
    for (const listener of this.#closed.splice(0)) listener()
  }

  disconnect(why: string): void {
    this.closeMessage = why
    this.close()
  }
}

/** Blocks that are their numbers, with one log each whose topic is the number modulo 3. */
class TestChain {
  head = 0
  listeners = new Set<(change: HeadChange) => void>()
  unreadable: number | undefined
  others = 0

  readonly #log = (number: number, removed = false): Uint8Array =>
    Buffer.from(
      `{"address":"0x${'ab'.repeat(20)}","topics":["0x${String(number % 3).padStart(64, '0')}"],"data":"0x",` +
        `"number":${number},"removed":${removed}}`,
    )

  readonly port = fakeChain({
    head: (() => ({ number: this.head, hash: new Uint8Array(32), time: 0 })) as never,
    blocks: {
      headerJson: (number) =>
        number > this.head || number === this.unreadable ? undefined : Buffer.from(String(number)),
      header: () => ({ logsBloom: Uint8Array.of(1) }) as Header,
      transactionCount: () => 0,
    },
    logs: { search: (pattern, from, to) => this.#search(pattern, from, to) },
    network: { syncing: () => undefined },
    events: {
      onHead: (listener) => {
        this.listeners.add(listener)
        return () => this.listeners.delete(listener)
      },
      onPending: () => this.#count(),
      onSyncing: () => this.#count(),
    } satisfies Events,
  })

  grow(blocks = 1): void {
    const from = this.head + 1
    this.head += blocks
    this.#tell({ kind: 'extended', from, to: this.head })
  }

  takeBack(to: number): void {
    const removed = Array.from({ length: this.head - to }, (_, index) => ({
      number: this.head - index,
      logs: [this.#log(this.head - index, true)],
    }))
    this.head = to
    this.#tell({ kind: 'reverted', to, removedLogs: () => removed })
  }

  #tell(change: HeadChange): void {
    for (const listener of this.listeners) listener(change)
  }

  #count(): () => void {
    this.others++
    return () => this.others--
  }

  *#search(pattern: LogPattern, from: number, to: number) {
    const keys = toPatternKeys(pattern)
    for (let number = from; number <= to; number++) {
      const logs = [this.#log(number)].filter((log) => matches(keys, parseLogKeys(log)))
      yield { number, count: logs.length, text: new Uint8Array(), logs }
    }
  }
}

const setUp = (subscriptionCap = 100, memoryLimit = 10_000_000) => {
  const chain = new TestChain()
  const memory = new CriteriaMemory(memoryLimit)
  const subscriptions = new SubscriptionManager(
    { subscriptionCap },
    { chain: chain.port, memory, log: createLogger('silent') },
  )
  const connection = new TestConnection()
  const subscribe = (request: SubscriptionRequest, to = connection) => {
    const { id, activate } = subscriptions.subscribe(to, request)
    activate()
    return id
  }
  return { chain, memory, subscriptions, connection, subscribe }
}

const heads = (from?: number): SubscriptionRequest => ({
  kind: 'newHeads',
  includesTransactions: false,
  from,
})
const logs = (from?: number, ...topics: number[]): SubscriptionRequest => ({
  kind: 'logs',
  from,
  pattern: {
    addresses: [],
    topics:
      topics.length === 0 ? [] : [topics.map((topic) => Buffer.from(String(topic).padStart(64, '0'), 'hex'))],
  },
})

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const numbersOf = (told: readonly unknown[]): unknown[] =>
  told.map((log) => {
    const { number, removed } = log as { number: number; removed: boolean }
    return removed ? -number : number
  })

describe('subscriptions', () => {
  test('tell nothing before they are activated, and then all that happened', async () => {
    const { chain, subscriptions, connection } = setUp()
    const { activate } = subscriptions.subscribe(connection, heads())
    chain.grow(3)
    await settle()
    expect(connection.told).toEqual([])
    activate()
    chain.grow()
    await settle()
    expect(connection.told).toEqual([1, 2, 3, 4])
  })

  test('begin after what was under way before them', async () => {
    const { chain, subscribe, connection } = setUp()
    subscribe(heads(), new TestConnection())
    chain.grow(2)
    subscribe(heads())
    chain.grow()
    await settle()
    expect(connection.told).toEqual([3])
  })

  test('listen only while somebody is there, whatever comes and goes', async () => {
    const { chain, subscriptions, connection, subscribe } = setUp()
    const requests: SubscriptionRequest[] = [
      heads(),
      heads(0),
      logs(),
      logs(0, 1),
      { kind: 'newPendingTransactions', isWhole: false },
      { kind: 'syncing' },
      { kind: 'transactionReceipts', hashes: [] },
      { kind: 'transactionReceipts', hashes: [new Uint8Array(32)] },
    ]
    const ids = requests.map((request) => subscribe(request))
    expect([chain.listeners.size, chain.others]).toEqual([1, 2])
    for (const id of ids) expect(subscriptions.unsubscribe(connection, id)).toBe(true)
    expect([chain.listeners.size, chain.others]).toEqual([0, 0])
    for (const request of requests) subscribe(request)
    connection.close()
    expect([chain.listeners.size, chain.others]).toEqual([0, 0])
    expect(Object.values(subscriptions.counts()).every((count) => count === 0)).toBe(true)
  })

  test('of very many are reported in turns, so that others run in between', async () => {
    const { chain, subscribe } = setUp()
    let served = 0
    const connections = Array.from({ length: 2000 }, () => {
      const connection = new TestConnection()
      connection.push = () => {
        const until = performance.now() + 0.05
        while (performance.now() < until);
        served++
      }
      return connection
    })
    for (const connection of connections) subscribe(heads(), connection)
    chain.grow()
    let turns = 0
    for (; served < connections.length; turns++) await nextTurn()
    // 100 ms of work, 10 ms at a time.
    expect(turns).toBeGreaterThan(5)
  })

  test('all end with their connections, also of those that have none any more', () => {
    const { subscriptions, connection, subscribe } = setUp()
    const [left, never] = [new TestConnection(), new TestConnection()]
    subscribe(heads())
    subscriptions.unsubscribe(left, subscribe(heads(), left))
    subscriptions.disconnectAll('started over')
    expect([connection, left, never].map(({ closeMessage }) => closeMessage)).toEqual([
      'started over',
      'started over',
      undefined,
    ])
    expect(subscriptions.counts().newHeads).toBe(0)
  })

  test('are not made for a connection that is already closed', () => {
    const { chain, subscriptions } = setUp()
    const gone = new TestConnection()
    gone.onceClosed = (listener) => listener()
    subscriptions.subscribe(gone, heads()).activate()
    expect(chain.listeners.size).toBe(0)
  })

  test('a block that cannot be read ends the connection instead of being passed over', async () => {
    const { chain, subscribe, connection } = setUp()
    subscribe(heads())
    chain.unreadable = 1
    chain.grow()
    expect(connection.closeMessage).toContain('could not be read')
    expect(chain.listeners.size).toBe(0)
  })
})

describe('a subscription from a block on', () => {
  test('goes on while blocks come, without a gap and without a double', async () => {
    const { chain, subscribe, connection } = setUp()
    chain.grow(500)
    subscribe(heads(7))
    for (let block = 0; block < 50; block++) {
      await nextTurn()
      chain.grow()
    }
    await settle()
    expect(connection.told).toEqual(range(7, 550))
  })

  test('waits for a client that has enough to read', async () => {
    const { chain, subscribe, connection } = setUp()
    chain.grow(10)
    connection.isFull = true
    subscribe(heads(0))
    chain.grow(5)
    await settle()
    expect(connection.told).toEqual([])
    connection.drain()
    await settle()
    expect(connection.told).toEqual(range(0, 15))
    chain.grow()
    await settle()
    expect(connection.told.at(-1)).toBe(16)
  })

  test('tells again from where blocks were reverted, if it had come that far', async () => {
    const { chain, subscribe, connection } = setUp()
    chain.grow(10)
    const [all, some, early] = [connection, new TestConnection(), new TestConnection()]
    subscribe(logs(3), all)
    subscribe(logs(3, 0), some)
    await settle()
    early.isFull = true
    subscribe(logs(3), early)
    const heard = new TestConnection()
    subscribe(heads(8), heard)
    await settle()
    chain.takeBack(6)
    chain.grow(2)
    early.drain()
    await settle()
    expect(numbersOf(all.told)).toEqual([...range(3, 10), -10, -9, -8, -7, 7, 8])
    expect(numbersOf(some.told)).toEqual([3, 6, 9, -9])
    expect(numbersOf(early.told)).toEqual(range(3, 8))
    expect(heard.told).toEqual([8, 9, 10, 6, 7, 8])
  })

  test('revoked in the middle of the past, revokes only what it delivered', async () => {
    const { chain, subscribe } = setUp()
    chain.grow(10)
    const connection = new TestConnection()
    const push = connection.push.bind(connection)
    // Full after the block 8, so that 9 and 10 are not told.
    connection.push = (notification, name) => {
      push(notification, name)
      if (connection.told.length === 6) connection.isFull = true
    }
    subscribe(logs(3), connection)
    await settle()
    expect(numbersOf(connection.told)).toEqual(range(3, 8))
    chain.takeBack(6)
    chain.grow(1)
    connection.drain()
    await settle()
    expect(numbersOf(connection.told)).toEqual([...range(3, 8), -8, -7, 7])
  })

  test('a block that is not there any more ends the connection', async () => {
    const { chain, subscribe, connection } = setUp()
    chain.grow(10)
    chain.unreadable = 5
    subscribe(heads(3))
    await settle()
    expect(connection.told).toEqual([3, 4])
    await eventually(() => connection.closeMessage !== undefined)
    expect(connection.closeMessage).toContain('not kept')
    expect(chain.listeners.size).toBe(0)
  })
})

test('all subscriptions share one memory, which each gives back when it ends', () => {
  const { memory, subscriptions, connection, subscribe } = setUp(100, 5_000)
  const id = subscribe({
    kind: 'transactionReceipts',
    hashes: Array.from({ length: 5 }, (_, at) => new Uint8Array(32).fill(at)),
  })
  expect(() => subscribe(heads())).toThrow(/json-rpc\.filter-memory/)
  expect(subscriptions.unsubscribe(connection, id)).toBe(true)
  expect(memory.used).toBe(0)
  subscribe(heads())
})
