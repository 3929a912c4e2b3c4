import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSpooledJson, readStreamedText } from '../../chain/trace/streamedJson.ts'
import { maxMemoryBytes, TraceSpool } from './spool.ts'
import { releaseSpoolSpace, SpoolRoom } from './spoolRoom.ts'

const folder = mkdtempSync(join(tmpdir(), 'perihelion-spool-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const megabyte = new Uint8Array(1 << 20).fill(0x20)
const maxTraceBytes = 100 << 20
let count = 0

const write = (room: SpoolRoom, bytes: number) => {
  const file = room.open(join(folder, `trace-${++count}`))
  const spool = new TraceSpool(file, maxTraceBytes)
  try {
    for (let written = 0; written < bytes; written += megabyte.length) spool.write(megabyte)
    return { file, result: spool.finish() }
  } catch (error) {
    spool.discard()
    expect(existsSync(file.path)).toBe(false)
    throw error
  }
}

const refusal = { name: 'ChainError', kind: 'limit exceeded' }

test('unread traces take no more of the disk than all of them may, and give it back when they are read', async () => {
  const room = new SpoolRoom({ maxBytes: 30 << 20, minFreeBytes: 0 })
  const first = write(room, 20 << 20)
  expect(first.result).toEqual({ kind: 'file', size: 20 << 20 })
  expect(room.usedBytes).toBe(20 << 20)
  expect(() => write(room, 20 << 20)).toThrow(
    expect.objectContaining({ ...refusal, message: expect.stringContaining('json-rpc.trace-spool') }),
  )
  expect(room.usedBytes).toBe(20 << 20)
  // What fits into memory needs no disk.
  expect(write(room, maxMemoryBytes / 2).result.kind).toBe('text')
  const text = openSpooledJson(first.file.path, 20 << 20, () => releaseSpoolSpace(first.file))
  expect((await readStreamedText(text)).length).toBe(20 << 20)
  await expect.poll(() => room.usedBytes).toBe(0)
  expect(write(room, 20 << 20).result.kind).toBe('file')
})

test('one that nobody reads to its end gives its space back when it is disposed of, once', async () => {
  const room = new SpoolRoom({ maxBytes: 30 << 20, minFreeBytes: 0 })
  const { file } = write(room, 10 << 20)
  openSpooledJson(file.path, 10 << 20, () => releaseSpoolSpace(file)).dispose()
  await expect.poll(() => room.usedBytes).toBe(0)
  releaseSpoolSpace(file)
  expect(room.usedBytes).toBe(0)
})

test('a long trace leaves the free space that blocks need', () => {
  const room = new SpoolRoom({ maxBytes: 1 << 30, minFreeBytes: Number.MAX_SAFE_INTEGER / 2 })
  expect(() => write(room, 20 << 20)).toThrow(
    expect.objectContaining({ ...refusal, message: expect.stringContaining('min-free-space') }),
  )
  expect(room.usedBytes).toBe(0)
})
