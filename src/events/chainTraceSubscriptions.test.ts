import { expect, test } from 'vitest'
import { createLogger } from '../base/logging/log.ts'
import type { ClientConnection, Notification } from '../base/notification.ts'
import type { Chain } from '../chain/port/chain.ts'
import { defaultTraceOptions, type StreamedJson } from '../chain/port/traces.ts'
import { ChainTraceSubscriptions, type NotificationMemory } from './chainTraceSubscriptions.ts'

/** A chain of so many blocks, of which one has a transaction; its traces are so many bytes. */
const chainOf = (blocks: number, bytes: number) => {
  let disposed = 0
  const traces: StreamedJson = {
    size: bytes,
    bytes: undefined,
    read: async function* () {
      yield Buffer.alloc(bytes, '1')
    },
    dispose: () => disposed++,
  }
  const chain = {
    blocks: {
      transactionCount: (number: number) => (number === blocks - 1 ? 1 : 0),
      hash: () => new Uint8Array(32),
    },
    traces: { block: async () => traces },
  } as unknown as Chain
  return { chain, disposed: () => disposed }
}

const clientOf = (onPush: (text: string) => void) => {
  let close = (): void => {}
  const connection = {
    isFull: false,
    push: (notification: Notification, id: Uint8Array) => {
      for (const text of notification.textsFor(id)) onPush(text)
    },
    onceClosed: (listener: () => void) => {
      close = listener
    },
  } as unknown as ClientConnection
  return { connection, close: () => close() }
}

const silentLog = createLogger('silent')
const endless: NotificationMemory = { take: () => true, give: () => {} }

test('the loop goes on while blocks without transactions are passed over', async () => {
  const blocks = 3_000_000
  const { chain } = chainOf(blocks, 10)
  const subscriptions = new ChainTraceSubscriptions({ chain, memory: endless, log: silentLog })
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await new Promise<void>((resolve) => {
    const { connection } = clientOf(() => resolve())
    const request = { from: 0, to: blocks, options: defaultTraceOptions }
    subscriptions.subscribe(connection, request).activate()
  })
  isOver = true
  expect(turns).toBeGreaterThan(2)
})

test('a notification waits until there is memory for it, and gives it back', async () => {
  const { chain, disposed } = chainOf(2, 1_000)
  let held = 0
  let looks = 0
  const memory: NotificationMemory = {
    take: (bytes) => {
      if (++looks < 3) return false
      held += bytes
      return true
    },
    give: (bytes) => {
      held -= bytes
    },
  }
  const subscriptions = new ChainTraceSubscriptions({ chain, memory, log: silentLog })
  const heldAtPush = await new Promise<number>((resolve) => {
    const { connection } = clientOf(() => resolve(held))
    const request = { from: 0, to: 1, options: defaultTraceOptions }
    subscriptions.subscribe(connection, request).activate()
  })
  expect(looks).toBe(3)
  expect(heldAtPush).toBe(2_000)
  await new Promise(setImmediate)
  expect(held).toBe(0)
  expect(disposed()).toBe(1)
})

test('a client that is gone takes no memory', async () => {
  const { chain, disposed } = chainOf(2, 1_000)
  let taken = 0
  const memory: NotificationMemory = { take: () => false, give: () => taken++ }
  const subscriptions = new ChainTraceSubscriptions({ chain, memory, log: silentLog })
  const { connection, close } = clientOf(() => {
    throw new Error('nobody is there')
  })
  const request = { from: 0, to: 1, options: defaultTraceOptions }
  subscriptions.subscribe(connection, request).activate()
  await new Promise(setImmediate)
  close()
  await expect.poll(disposed).toBe(1)
  expect(taken).toBe(0)
})
