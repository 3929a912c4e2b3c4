import { expect, test } from 'vitest'
import type { WireEvent } from '../pipe/wire.ts'
import { HeadAnnouncer, maxRemovedBytes } from './headAnnouncer.ts'
import type { PublishedHead } from './headFile.ts'
import { HeadFollower } from './headFollower.ts'

/** The two sides, with what passes between them held back until it is delivered. */
const setUp = ({ isForked = false, failure }: { isForked?: boolean; failure?: Error } = {}) => {
  let published: PublishedHead = {
    ...{ version: 0, number: 0, epoch: 0, reverts: 0 },
    ...{ isChanging: false, isForked: false },
  }
  let seen = -1
  const sent: WireEvent[] = []
  const told: unknown[] = []
  let writeError: Error | undefined
  let tellError: Error | undefined
  const announcer = new HeadAnnouncer({
    publisher: {
      publish: (head) => {
        if (writeError !== undefined) throw writeError
        published = { ...head, version: published.version + 1 }
      },
    },
    tell: (event) => {
      if (tellError !== undefined && event.kind === 'reverted') throw tellError
      // As it passes the pipe.
      sent.push(JSON.parse(JSON.stringify(event)) as WireEvent)
    },
    sync: async () => deliver(),
    onUnpublished: () => told.push('ended'),
  })
  announcer.onMove(1, isForked)
  // As a process that starts: it has read the head before it follows it.
  seen = published.version
  sent.splice(0)
  const reader = {
    chain: { blocks: { header: () => ({}) } },
    events: {
      emitExtended: (from: number, to: number) => told.push(`${from + 1}-${to}`),
      relay: ({ to }: { readonly to: number }) => told.push(`back to ${to}`),
    },
    moveTo: () => {
      if (failure !== undefined) throw failure
    },
    refresh: () => {},
    reset: () => told.push('reset'),
  }
  const follower = new HeadFollower(published, {
    reader: reader as never, // what a follower uses
    heads: {
      next: () => {
        if (seen === published.version) return undefined
        seen = published.version
        return published
      },
      forget: () => {
        seen = -1
      },
    },
    onForked: () => told.push('forked'),
    onLogsLost: () => told.push('logs lost'),
    log: { warn: (_: unknown, message: string) => told.push(message) } as never, // what a follower uses
  })
  const deliver = (): void => {
    for (const event of sent.splice(0)) follower.onEvent(event)
  }
  const failWrites = (error: Error | undefined): void => {
    writeError = error
  }
  const failTelling = (error: Error): void => {
    tellError = error
  }
  return { announcer, follower, told, deliver, failWrites, failTelling }
}

const revertedTo = (to: number) => ({ kind: 'reverted' as const, to, removedLogs: () => [] })

test('a head is reported once, whether it is found by a call or announced', () => {
  const { announcer, follower, told, deliver } = setUp()
  announcer.onMove(2, false)
  announcer.onMove(3, false)
  expect(follower.follow()).toBe(true)
  expect(told).toEqual(['2-3'])
  deliver()
  expect(told).toEqual(['2-3'])
})

test('blocks are reported before they are removed, and nothing is answered until their end was reported', async () => {
  const { announcer, follower, told, deliver } = setUp()
  announcer.onMove(3, false)
  await announcer.beforeRevert()
  expect(told).toEqual(['2-3'])
  expect(follower.follow()).toBe(false)
  announcer.onMove(1, false)
  announcer.onHead(revertedTo(1))
  announcer.onMove(2, false)
  expect(follower.follow()).toBe(false)
  deliver()
  expect(told).toEqual(['2-3', 'back to 1', '2-2'])
  expect(follower.follow()).toBe(true)
})

test('a removal of nothing tells nothing and holds nobody up', async () => {
  const { announcer, follower, told, deliver } = setUp()
  await announcer.beforeRevert()
  announcer.onMove(1, false)
  expect(follower.follow()).toBe(false)
  await Promise.resolve()
  deliver()
  expect(follower.follow()).toBe(true)
  expect(told).toEqual([])
})

test('more removed logs than fit are not told, and those who listen must start over', async () => {
  const { announcer, follower, told, deliver } = setUp()
  announcer.onMove(3, false)
  await announcer.beforeRevert()
  announcer.onMove(1, false)
  const log = Buffer.alloc(maxRemovedBytes / 2 + 1, ' ')
  let read = 0
  const block = (number: number) => ({
    number,
    get logs() {
      read++
      return [log]
    },
  })
  announcer.onHead({ ...revertedTo(1), removedLogs: () => [block(4), block(3), block(2)] })
  deliver()
  expect(told).toEqual(['2-3', 'logs lost', 'back to 1'])
  expect(read).toBe(2)
  expect(follower.follow()).toBe(true)
})

test('removed logs that cannot be read hold nobody up', async () => {
  const { announcer, follower, told, deliver } = setUp()
  announcer.onMove(3, false)
  await announcer.beforeRevert()
  announcer.onMove(1, false)
  const removedLogs = () => {
    throw new RangeError('Invalid string length')
  }
  announcer.onHead({ ...revertedTo(1), removedLogs })
  deliver()
  expect(told).toEqual(['2-3', 'logs lost', 'back to 1'])
  expect(follower.follow()).toBe(true)
})

test('processes that cannot be told of a revert are ended', async () => {
  const { announcer, told, failTelling } = setUp()
  await announcer.beforeRevert()
  announcer.onMove(0, false)
  failTelling(new Error('no'))
  announcer.onHead(revertedTo(0))
  expect(told).toEqual(['ended'])
})

test('another chain in the same file is read again', async () => {
  const { announcer, follower, told, deliver } = setUp()
  await announcer.beforeRevert()
  announcer.onReset()
  announcer.onMove(0, false)
  announcer.onHead(revertedTo(0))
  deliver()
  expect(told).toEqual(['back to 0', 'reset'])
  expect(follower.follow()).toBe(true)
})

test('a chain that is forked is answered by the main process alone', () => {
  const { announcer, follower, told } = setUp()
  announcer.onMove(5, true)
  expect(follower.follow()).toBe(false)
  expect(told).toEqual(['forked'])
  announcer.onMove(6, true)
  expect(follower.follow()).toBe(false)
  expect(told).toEqual(['forked'])
})

test('a process that starts on a forked chain answers nothing by itself', () => {
  const { announcer, follower, told } = setUp({ isForked: true })
  expect(follower.follow()).toBe(false)
  announcer.onMove(2, true)
  expect(follower.follow()).toBe(false)
  announcer.onMove(3, false)
  expect(follower.follow()).toBe(true)
  expect(told).toEqual(['2-3'])
})

test('a head that cannot be read is logged once, and the main process answers', () => {
  const { announcer, follower, told } = setUp({ failure: new Error('no such block') })
  announcer.onMove(2, false)
  for (let calls = 0; calls < 3; calls++) expect(follower.follow()).toBe(false)
  expect(told).toEqual(['the head cannot be read'])
  announcer.onMove(3, false)
  expect(follower.follow()).toBe(false)
  expect(told).toHaveLength(2)
})

test('where the head cannot be published all processes are ended, and start when it can again', () => {
  const { announcer, follower, told, failWrites } = setUp()
  failWrites(new Error('EIO'))
  announcer.onMove(2, false)
  expect(told).toEqual(['ended'])
  expect(() => announcer.requirePublished()).toThrow('EIO')
  failWrites(undefined)
  announcer.requirePublished()
  follower.follow()
  expect(told).toEqual(['ended', '2-2'])
})

test('a published head that cannot be read at all ends nothing', () => {
  const told: string[] = []
  const start = { version: 1, number: 1, epoch: 0, reverts: 0, isChanging: false, isForked: false }
  const follower = new HeadFollower(start, {
    reader: undefined as never, // not reached
    heads: {
      next: () => {
        throw new Error('the published head cannot be read')
      },
      forget: () => {},
    },
    onForked: () => {},
    onLogsLost: () => {},
    log: { warn: (_: unknown, message: string) => told.push(message) } as never, // what a follower uses
  })
  follower.onEvent({ kind: 'moved' })
  expect(follower.follow()).toBe(false)
  expect(told).toEqual(['the head cannot be read'])
})
