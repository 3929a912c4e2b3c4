import { expect, test } from 'vitest'
import { columnsOf } from './textMode.ts'

test.each([
  [{ isTTY: true, columns: 120 }, 120],
  [{ isTTY: true, columns: 0 }, 80],
  [{ isTTY: true }, 80],
  // Lines are not wrapped for a program.
  [{}, Number.POSITIVE_INFINITY],
])('the width of %j', (stream, width) => {
  expect(columnsOf(stream)()).toBe(width)
})
