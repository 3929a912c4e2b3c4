import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, win32 } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findNearest, removeUnusedHome } from './homeFolder.ts'

test.each([
  ['/a/b/c', '/a', posix, '/a'],
  ['/a/b', '/', posix, '/'],
  ['C:\\Users\\a\\.perihelion', 'C:\\Users', win32, 'C:\\Users'],
  // A drive that is not there has no folder above it.
  ['Z:\\a\\b', 'C:\\', win32, undefined],
  ['\\\\server\\share\\a', 'C:\\', win32, undefined],
])('of %s the nearest folder on a disk with %s', (path, only, { dirname }, expected) => {
  expect(findNearest(path, (folder) => folder === only, dirname)).toBe(expected)
})

describe('a home that a rejected start leaves', () => {
  let folder: string
  let home: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-unused-'))
    home = join(folder, 'home')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('is removed if it has nothing but the secret of tokens', () => {
    mkdirSync(home)
    removeUnusedHome(home)
    expect(existsSync(home)).toBe(false)
    mkdirSync(home)
    writeFileSync(join(home, 'jwt.hex'), '')
    removeUnusedHome(home)
    expect(existsSync(home)).toBe(false)
  })

  test('stays with whatever else is in it', () => {
    mkdirSync(home)
    for (const name of ['jwt.hex', 'app.toml']) writeFileSync(join(home, name), '')
    removeUnusedHome(home)
    expect(readdirSync(home).sort()).toEqual(['app.toml', 'jwt.hex'])
  })

  test.skipIf(process.platform === 'win32')('stays if it is a link to a disk that is not mounted', () => {
    symlinkSync(join(folder, 'disk'), home)
    removeUnusedHome(home)
    expect(lstatSync(home).isSymbolicLink()).toBe(true)
  })

  test('cannot replace the reason of the rejection: what is in its way stays', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'home')]) expect(() => removeUnusedHome(path)).not.toThrow()
    expect(readdirSync(folder)).toEqual(['file'])
  })
})
