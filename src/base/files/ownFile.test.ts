import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exitCodes } from '../exit.ts'
import { openOwnFile, writeOwnFile } from './ownFile.ts'

let folder: string
let path: string
let target: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'own-'))
  path = join(folder, 'file')
  target = join(folder, 'target')
  writeFileSync(target, 'kept')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ways = ['update', 'replace', 'append'] as const
const refused = (text: string) =>
  expect.objectContaining({ exitCode: exitCodes.badFile, message: expect.stringContaining(text) })

test.each(ways)('%s: a link is rejected, and its target stays', (way) => {
  symlinkSync(target, path)
  expect(() => openOwnFile(path, way)).toThrow(refused('file is a symbolic link'))
  expect(readFileSync(target, 'utf8')).toBe('kept')
})

test.each(ways)('%s: a link to nothing makes no file', (way) => {
  const nowhere = join(folder, 'nowhere')
  symlinkSync(nowhere, path)
  expect(() => openOwnFile(path, way)).toThrow(refused('is a symbolic link'))
  expect(() => readFileSync(nowhere)).toThrow('ENOENT')
})

test.each(ways)('%s: a pipe and a folder are rejected at once', (way) => {
  execFileSync('mkfifo', [path])
  expect(() => openOwnFile(path, way)).toThrow(refused('file is not a regular file'))
  rmSync(path)
  mkdirSync(path)
  expect(() => openOwnFile(path, way)).toThrow(refused('file is not a regular file'))
})

test('a regular file is written as the way says', () => {
  const write = (way: (typeof ways)[number], text: string): string => {
    const file = openOwnFile(path, way)
    writeFileSync(file, text)
    closeSync(file)
    return readFileSync(path, 'utf8')
  }
  expect(write('update', 'abc')).toBe('abc')
  expect(write('update', 'x')).toBe('xbc')
  expect(write('append', 'd')).toBe('xbcd')
  expect(write('replace', 'new')).toBe('new')
  writeOwnFile(path, 'n')
  expect(readFileSync(path, 'utf8')).toBe('n')
})
