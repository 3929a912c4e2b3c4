import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { HeadChange } from '../chain/port/events.ts'
import type { SyncProgress } from '../chain/port/network.ts'
import { ChainEvents } from './chainEvents.ts'

const receipts = (number: number): Uint8Array =>
  Buffer.from(JSON.stringify([{ logs: [{ number, removed: false }] }, { logs: [] }]))

const setUp = (receiptsAt = receipts) => {
  const read: number[] = []
  const errors: unknown[] = []
  let progress: SyncProgress | undefined
  const events = new ChainEvents({
    onPending: () => () => {},
    syncing: async () => progress,
    onListenerError: (error) => errors.push(error),
    blocks: {
      receiptsJson: (number) => {
        read.push(number)
        return receiptsAt(number)
      },
    },
  })
  return {
    events,
    read,
    errors,
    setProgress: (next: SyncProgress | undefined) => {
      progress = next
    },
  }
}

describe('the head', () => {
  test('is reported as the range of blocks that came, and nothing where it did not grow', () => {
    const { events } = setUp()
    const changes: HeadChange[] = []
    const stop = events.onHead((change) => changes.push(change))
    events.emitExtended(4, 7)
    events.emitExtended(7, 7)
    events.emitExtended(7, 3)
    stop()
    events.emitExtended(7, 8)
    expect(changes).toEqual([{ kind: 'extended', from: 5, to: 7 }])
  })

  test('reverted is reported when it is so, with the logs that were read before', async () => {
    const { events, read } = setUp()
    const changes: HeadChange[] = []
    events.onHead((change) => changes.push(change))
    const tell = await events.prepareRevert(7, 5)
    expect(read).toEqual([7, 6])
    expect(changes).toEqual([])
    tell()
    const [change] = changes
    expect(change).toMatchObject({ kind: 'reverted', to: 5 })
    const removed = change?.kind === 'reverted' ? change.removedLogs() : []
    expect(
      removed.map(({ number, logs }) => [number, ...logs.map((log) => JSON.parse(String(log)))]),
    ).toEqual([
      [7, { number: 7, removed: true }],
      [6, { number: 6, removed: true }],
    ])
  })

  test('reverted parses the logs of a block only when they are looked at', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    const { events } = setUp()
    const changes: HeadChange[] = []
    events.onHead((change) => changes.push(change))
    const tell = await events.prepareRevert(7, 5)
    tell()
    const [change] = changes
    const [newest, older] = change?.kind === 'reverted' ? change.removedLogs() : []
    expect(newest?.number).toBe(7)
    expect(parse).not.toHaveBeenCalled()
    expect(older?.logs).toHaveLength(1)
    expect(older?.logs).toBe(older?.logs)
    expect(parse).toHaveBeenCalledTimes(1)
    parse.mockRestore()
  })

  test('reverted leaves out blocks without logs', async () => {
    const { events } = setUp(() => Buffer.from('[{"logs":[]},{"logs":[]}]'))
    const changes: HeadChange[] = []
    events.onHead((change) => changes.push(change))
    const tell = await events.prepareRevert(7, 5)
    tell()
    const [change] = changes
    expect(change?.kind === 'reverted' && change.removedLogs()).toEqual([])
  })

  test('reverted with nobody to tell reads nothing', async () => {
    const { events, read } = setUp()
    const tell = await events.prepareRevert(7, 5)
    tell()
    expect(read).toEqual([])
  })
})

describe('syncing', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is reported when it changes, and looked at only while somebody listens', async () => {
    const { events, setProgress } = setUp()
    const notified: (SyncProgress | undefined)[] = []
    const stop = events.onSyncing((progress) => notified.push(progress))
    await vi.advanceTimersByTimeAsync(5000)
    expect(notified).toEqual([])
    const behind = { startingBlock: 1, currentBlock: 2, highestBlock: 9 }
    setProgress(behind)
    await vi.advanceTimersByTimeAsync(5000)
    setProgress(undefined)
    await vi.advanceTimersByTimeAsync(5000)
    expect(notified).toEqual([behind, undefined])
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
