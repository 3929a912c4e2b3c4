import { posix, win32 } from 'node:path'
import { expect, test } from 'vitest'
import { findNearest } from './homeFolder.ts'

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
