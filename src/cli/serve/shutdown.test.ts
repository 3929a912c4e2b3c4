import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stopWithParent } from './shutdown.ts'

const names = ['connected', 'channel'] as const
let signals: unknown[]
let listeners: number

/**
 * Runs something in a process that has this channel. Nothing else runs meanwhile: the test runner needs the real channel.
 */
const withChannel = (connected: boolean | undefined, channel: unknown, run: () => void): void => {
  const real = names.map((name) => Object.getOwnPropertyDescriptor(process, name))
  Object.defineProperty(process, 'connected', { value: connected, configurable: true })
  Object.defineProperty(process, 'channel', { value: channel, configurable: true })
  try {
    run()
  } finally {
    for (const [index, name] of names.entries()) {
      const descriptor = real[index]
      if (descriptor === undefined) Reflect.deleteProperty(process, name)
      else Object.defineProperty(process, name, descriptor)
    }
  }
}

beforeEach(() => {
  signals = []
  listeners = process.listenerCount('disconnect')
  vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    signals.push([pid, signal])
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('a process without a channel has no parent to stop with', () => {
  withChannel(undefined, undefined, stopWithParent)
  expect(process.listenerCount('disconnect')).toBe(listeners)
  expect(signals).toEqual([])
})

test('a process stops when its parent is gone', () => {
  let isReferenced = true
  const unref = () => {
    isReferenced = false
  }
  withChannel(true, { unref }, stopWithParent)
  expect({ signals, isReferenced }).toEqual({ signals: [], isReferenced: false })
  const added = process.listeners('disconnect').slice(listeners)
  expect(added).toHaveLength(1)
  for (const listener of added) {
    listener()
    process.removeListener('disconnect', listener)
  }
  expect(signals).toEqual([[process.pid, 'SIGTERM']])
})

test('a process whose parent was gone before it could listen stops at once', () => {
  withChannel(false, null, stopWithParent)
  expect(signals).toEqual([[process.pid, 'SIGTERM']])
  expect(process.listenerCount('disconnect')).toBe(listeners)
})
