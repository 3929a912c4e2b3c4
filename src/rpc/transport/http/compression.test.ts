import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { PiecedResponse } from '../../dispatch/batchResponse.ts'
import { chooseCoding, compress } from './compression.ts'

const large = 5000

describe('the coding of a response', () => {
  test.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['*', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, *', undefined],
    ['br;q=0.5, gzip;q=1.0', 'br'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br; q=0', undefined],
    ['gzip;q=0.001', 'gzip'],
    ['identity', undefined],
    ['deflate', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is answered with %s', (accepted, coding) => {
    expect(chooseCoding(accepted, large, 'auto', false)).toBe(coding)
  })

  test('small answers go as they are', () => {
    expect(chooseCoding('gzip', 1024, 'always', false)).toBeUndefined()
    expect(chooseCoding('gzip', 1025, 'always', false)).toBe('gzip')
  })

  test('clients on this machine get it only when it is always wanted', () => {
    expect(chooseCoding('gzip', large, 'auto', true)).toBeUndefined()
    expect(chooseCoding('gzip', large, 'always', true)).toBe('gzip')
  })

  test('never is never', () => {
    expect(chooseCoding('gzip', large, 'never', false)).toBeUndefined()
  })

  test('what is compressed can be read', async () => {
    const text = 'Größe 大 '.repeat(500)
    expect(gunzipSync((await compress(text, 'gzip')) as Buffer).toString()).toBe(text)
    expect(brotliDecompressSync((await compress(Buffer.from(text), 'br')) as Buffer).toString()).toBe(text)
  })

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('a response in pieces stays one (%s)', async (coding, decompress) => {
    const pieces = Array.from({ length: 50 }, (_, index) => Buffer.from(`${index} Größe `.repeat(5000)))
    const compressed = (await compress(new PiecedResponse(pieces), coding)) as PiecedResponse
    expect(compressed).toBeInstanceOf(PiecedResponse)
    expect(decompress(compressed.join()).equals(Buffer.concat(pieces))).toBe(true)
  })
})
