import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LowSpaceError } from '../base/lmdb/lmdb.ts'
import { createLogger } from '../base/logging/log.ts'
import { ThreadError } from '../base/threads/threadRpc.ts'
import { WriteGate } from './writeGate.ts'

const megabyte = 1e6

describe('WriteGate', () => {
  let free: number
  let hasRoom: boolean
  let lines: string[]
  let told: string[]
  let gate: WriteGate
  const create = (minFreeBytes: number): WriteGate => {
    const created = new WriteGate(
      { folder: '/', minFreeBytes, pollMs: 1_000_000 },
      {
        freeBytes: () => free,
        hasRoom: () => hasRoom,
        log: createLogger('info', { write: (line) => lines.push(line) }),
      },
    )
    created.on(
      ({ kind }) => told.push(`closed: ${kind}`),
      () => told.push('open'),
    )
    return created
  }
  beforeEach(() => {
    free = 1_000 * megabyte
    hasRoom = true
    lines = []
    told = []
    gate = create(256 * megabyte)
  })
  afterEach(() => gate.stop())

  test('closes below the limit and opens a little above it, with one line each', () => {
    expect(gate.isOpen).toBe(true)
    gate.assertOpen()
    for (const next of [255, 100, 256, 270]) {
      free = next * megabyte
      gate.check()
      expect(gate.isOpen).toBe(false)
    }
    expect(() => gate.assertOpen()).toThrow(
      'the disk of this node is nearly full: 270 MB are free, 256 MB are needed (min-free-space): make room, and writing goes on by itself',
    )
    free = 272 * megabyte
    gate.check()
    gate.assertOpen()
    expect(told).toEqual(['closed: limit exceeded', 'open'])
    expect(lines).toHaveLength(2)
  })

  test('learns from a rejected commit how much the largest block needs', () => {
    free = 300 * megabyte
    const { name, message, freeBytes, neededBytes } = new LowSpaceError('/', free, 400 * megabyte)
    expect(gate.closeForSpace(new ThreadError({ name, message, freeBytes, neededBytes } as never))).toBe(true)
    expect(gate.stats()).toEqual({ freeBytes: free, neededBytes: 400 * megabyte, isLow: true })
    expect(gate.closeForSpace(new Error('something else'))).toBe(false)
  })

  test('closes where a quota is met on a disk that has free space, and opens when it takes writes', () => {
    hasRoom = false
    expect(gate.closeForSpace(new LowSpaceError('/', free, 2 * megabyte))).toBe(true)
    expect(() => gate.assertOpen()).toThrow('the disk of this node is full (/): make room there')
    gate.check()
    expect(gate.isOpen).toBe(false)
    hasRoom = true
    gate.check()
    expect(gate.isOpen).toBe(true)
    expect(told).toEqual(['closed: limit exceeded', 'open'])
  })

  test('a failed commit closes it for good', () => {
    gate.closeForGood('EIO')
    gate.closeForGood('EIO again')
    expect(() => gate.assertOpen()).toThrow('a commit failed (EIO): the chain is being opened again')
    expect(told).toEqual(['closed: unavailable'])
  })

  test('without a limit it is never closed', () => {
    free = 0
    const open = create(0)
    open.check()
    expect(open.isOpen).toBe(true)
  })
})
