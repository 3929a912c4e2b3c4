import { expect, test } from 'vitest'
import { addressWith, endpointsOf, parseTrust, trustOf } from './address.ts'

const hash = '5A'.repeat(32)

test('reads a trusted block', () => {
  expect(parseTrust(` 12:${hash} `)).toEqual({ height: 12, hash })
  expect(parseTrust(`12:0x${hash}`)).toEqual({ height: 12, hash })
})

test.each(['', 'first-use', hash, `-1:${hash}`, `12:${hash}0`, `12:${hash.slice(1)}`, `1e3:${hash}`])(
  '%j is not a trusted block',
  (text) => expect(parseTrust(text)).toBeUndefined(),
)

test('takes endpoints over HTTP alone', () => {
  const search = '?rpc=https://one.example/key&rpc=javascript:alert(1)&rpc=two&rpc=http://127.0.0.1:8545'
  expect(endpointsOf(search)).toEqual(['https://one.example/key', 'http://127.0.0.1:8545'])
  expect(endpointsOf('')).toEqual([])
})

test('keeps the view and what else the address has', () => {
  const href = 'https://files.example/page/?x=1&trust=old#/block/7'
  const next = addressWith(href, ['https://one.example/a?b=c'], `12:${hash}`)
  expect(next).toBe(
    `https://files.example/page/?x=1&rpc=https://one.example/a%3Fb%3Dc&trust=12:${hash}#/block/7`,
  )
  const { search } = new URL(next)
  expect(endpointsOf(search)).toEqual(['https://one.example/a?b=c'])
  expect(trustOf(search)).toBe(`12:${hash}`)
  expect(addressWith(next, [], undefined)).toBe('https://files.example/page/?x=1#/block/7')
})
