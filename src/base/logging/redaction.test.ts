import { expect, test } from 'vitest'
import { Redaction } from './redaction.ts'

const key = 'abcDEF0123456789'

test.each([
  ['http://127.0.0.1:8545', 'http://127.0.0.1:8545'],
  ['http://127.0.0.1:8545/', 'http://127.0.0.1:8545'],
  [`https://eth.example.org/v2/${key}`, 'https://eth.example.org/…'],
  [`https://eth.example.org/?key=${key}`, 'https://eth.example.org/…'],
  [`https://user:${key}@eth.example.org`, 'https://eth.example.org/…'],
])('%s is shown as %s', (url, shown) => {
  expect(new Redaction(url, {}).shownUrl).toBe(shown)
})

test('keys of the URL and of headers are removed from texts, and nothing else is', () => {
  const url = `https://user:p%40ssword@eth.example.org/v2/${key}?token=${key}x`
  const redaction = new Redaction(url, { 'x-key': 'headerSecret', authorization: 'Bearer tokenOfBearer' })
  const text = `${url} ${key} ${key}x p@ssword headerSecret tokenOfBearer and the rest`
  const cleaned = redaction.clean(text)
  for (const secret of [key, 'ssword', 'headerSecret', 'tokenOfBearer']) expect(cleaned).not.toContain(secret)
  expect(cleaned).toContain('and the rest')
  expect(new Redaction('http://127.0.0.1:8545', {}).clean('http://127.0.0.1:8545 is down')).toBe(
    'http://127.0.0.1:8545 is down',
  )
})
