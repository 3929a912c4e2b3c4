import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasRoom } from './fileSystem.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'room-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a folder with room is left as it was', () => {
  expect(hasRoom(folder)).toBe(true)
  expect(existsSync(join(folder, 'room.probe'))).toBe(false)
})

test('an error that prevents the check does not count as a full disk', () => {
  mkdirSync(join(folder, 'room.probe'))
  expect(hasRoom(folder)).toBe(true)
  expect(hasRoom(join(folder, 'missing'))).toBe(true)
})
