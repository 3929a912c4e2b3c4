import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { removeIfInterrupted } from './removeIfInterrupted.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interrupted-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

test('what is temporary goes before the process does, and nothing else', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const [file, inner, kept] = ['file.partial', 'chunks', 'kept'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [file, kept]) writeFileSync(path, 'x')
  mkdirSync(inner)
  writeFileSync(join(inner, '1'), 'x')
  const before = process.listenerCount('SIGINT')
  await removeIfInterrupted([file, inner], async () => {
    expect(existsSync(file)).toBe(true)
    process.emit('SIGINT', 'SIGINT')
    expect([file, inner, kept].map((path) => existsSync(path))).toEqual([false, false, true])
  })
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGINT')
  expect(process.listenerCount('SIGINT')).toBe(before)
})

test('work that ends leaves its files, and no listener', async () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'x')
  const before = process.listenerCount('SIGTERM')
  await expect(removeIfInterrupted([path], () => Promise.reject(new Error('no room')))).rejects.toThrow(
    'no room',
  )
  expect(existsSync(path)).toBe(true)
  expect(process.listenerCount('SIGTERM')).toBe(before)
})
