import { expect, test } from 'vitest'
import { checkAuthorization, createToken } from './token.ts'

const secret = new Uint8Array(32).fill(7)
const madeAt = 1_700_000_000_000

test.each([
  [-61_000, false],
  [-60_001, false],
  [-60_000, true],
  [-59_000, true],
  [0, true],
  [59_000, true],
  [60_000, true],
  [60_001, false],
])('a token counts for a minute to both sides: %d ms after it was made', (ms, ok) => {
  expect(checkAuthorization(`Bearer ${createToken(secret, madeAt)}`, secret, madeAt + ms).ok).toBe(ok)
})
