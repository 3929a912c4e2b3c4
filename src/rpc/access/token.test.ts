import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkAuthorization, createToken, usesBearer } from './token.ts'

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

test.each([
  ['{"iat":IAT}', '{"alg":"HS256"}', true],
  ['{"iat":1,"iat":IAT}', '{"alg":"HS256"}', false],
  ['{"iat":IAT,"iat":IAT}', '{"alg":"HS256"}', false],
  ['{"iat":1,"i\\u0061t":IAT}', '{"alg":"HS256"}', false],
  ['{"iat":IAT,"other":{"iat":1}}', '{"alg":"HS256"}', true],
  ['{"iat":IAT}', '{"alg":"none","alg":"HS256"}', false],
])('the token with the claims %s and the head %s is taken: %s', (claims, head, ok) => {
  const encoded = [head, claims.replaceAll('IAT', String(madeAt / 1000))].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  const body = encoded.join('.')
  const signature = createHmac('sha256', secret).update(body).digest('base64url')
  expect(checkAuthorization(`Bearer ${body}.${signature}`, secret, madeAt).ok).toBe(ok)
})

test.each([
  ['Bearer x', true],
  ['bearer x', true],
  ['Bearer', true],
  ['Bearer\tx', true],
  ['Basic dXNlcjpwYXNz', false],
  ['Digest username="x"', false],
  ['Bearerx y', false],
  ['', false],
])('%j has a token: %s', (header, isToken) => expect(usesBearer(header)).toBe(isToken))
