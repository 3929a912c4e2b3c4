import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { privateKeyToAddress } from '../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { KeystoreError } from '../keystoreError.ts'
import { KeyCipher } from './cipher.ts'
import { keyFileName, parseKeyFile, renderKeyFile } from './keyFile.ts'

const sample = JSON.parse(
  readFileSync(new URL('../../../test/keystore/files/geth.json', import.meta.url), 'utf8'),
) as {
  crypto: Record<string, unknown> & { kdfparams: Record<string, unknown> }
}

const withKdf = (params: Record<string, unknown>, kdf = 'scrypt'): string =>
  JSON.stringify({
    ...sample,
    crypto: { ...sample.crypto, kdf, kdfparams: { ...sample.crypto.kdfparams, ...params } },
  })

const withCrypto = (members: Record<string, unknown>): string =>
  JSON.stringify({ ...sample, crypto: { ...sample.crypto, ...members } })

const pbkdf2 = { c: 1000, prf: 'hmac-sha256' }

describe('parameters that would take all memory or all time', () => {
  test.each([
    ['n = 2^30', withKdf({ n: 2 ** 30 })],
    ['n = 2^21', withKdf({ n: 2 ** 21 })],
    ['n beyond every integer', withKdf({ n: 1e300 })],
    ['p = 10^9', withKdf({ p: 1e9 })],
    ['r = 2^30', withKdf({ r: 2 ** 30 })],
    ['dklen = 2^31', withKdf({ dklen: 2 ** 31 })],
    ['n and r together', withKdf({ n: 2 ** 20, r: 8 })],
    ['n, r and p together', withKdf({ n: 2 ** 18, r: 8, p: 16 })],
    ['a long salt', withKdf({ salt: 'ab'.repeat(30_000) })],
    ['c = 10^12', withKdf({ ...pbkdf2, c: 1e12 }, 'pbkdf2')],
    ['dklen = 2^31 of pbkdf2', withKdf({ ...pbkdf2, dklen: 2 ** 31 }, 'pbkdf2')],
  ])('%s is rejected at once', (_, text) => {
    const before = process.memoryUsage().rss
    const started = process.cpuUsage()
    expect(() => parseKeyFile(text)).toThrow(KeystoreError)
    // The work of the process, not the time of a machine that is busy; to derive any of these takes many seconds.
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000)
  })
})

test.each([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['null', 'null'],
  ['no crypto', '{"version":3}'],
  ['version 1', JSON.stringify({ ...sample, version: 1 })],
  ['another cipher', withCrypto({ cipher: 'aes-128-cbc' })],
  ['another kdf', withCrypto({ kdf: 'argon2id' })],
  ['another prf', withKdf({ ...pbkdf2, prf: 'hmac-sha1' }, 'pbkdf2')],
  ['n that is not a power of two', withKdf({ n: 4097 })],
  ['n = 0', withKdf({ n: 0 })],
  ['n = 1', withKdf({ n: 1 })],
  ['n as a text', withKdf({ n: '4096' })],
  ['n as a fraction', withKdf({ n: 4096.5 })],
  ['r = 0', withKdf({ r: 0 })],
  ['p = -1', withKdf({ p: -1 })],
  ['dklen = 16', withKdf({ dklen: 16 })],
  ['c = 0', withKdf({ ...pbkdf2, c: 0 }, 'pbkdf2')],
  ['no salt', withKdf({ salt: undefined })],
  ['a salt that is not hex', withKdf({ salt: 'xy' })],
  ['a short mac', withCrypto({ mac: 'ab' })],
  ['a long iv', withCrypto({ cipherparams: { iv: '00'.repeat(17) } })],
  ['a long ciphertext', withCrypto({ ciphertext: '00'.repeat(33) })],
  ['an empty ciphertext', withCrypto({ ciphertext: '' })],
  ['an address of 19 bytes', JSON.stringify({ ...sample, address: '00'.repeat(19) })],
])('%s is not a key file', (_, text) => {
  expect(() => parseKeyFile(text)).toThrow(KeystoreError)
})

test('whatever JSON comes, the response is a key file or a rejection', () => {
  const members = [
    'version',
    'crypto',
    'address',
    'cipher',
    'kdf',
    'kdfparams',
    'n',
    'iv',
    'mac',
    'cipherparams',
  ]
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(3, '3', null, 'scrypt', 'aes-128-ctr', '00', 2 ** 18),
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...members), tie('any')),
    ),
  })).any
  fc.assert(
    fc.property(value, (json) => {
      try {
        parseKeyFile(JSON.stringify(json))
      } catch (error) {
        if (!(error instanceof KeystoreError)) throw error
      }
    }),
    { numRuns: 500 },
  )
})

test('the counter of Python is a number that lost its leading zeros', () => {
  const { iv } = parseKeyFile(withCrypto({ cipherparams: { iv: 'abc' } }))
  expect(toHex(iv)).toBe(`0x${'00'.repeat(14)}0abc`)
})

test('the name is that of geth', () => {
  const address = fromHex('0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b')
  expect(keyFileName(address, new Date(Date.UTC(2026, 10, 15, 8, 2, 3, 45)))).toBe(
    'UTC--2026-11-15T08-02-03.045000000Z--008aeeda4d805471df9b2a5b0f38a0c3bcba786b',
  )
})

test('every key and every password makes the round trip', slow, async () => {
  const cipher = new KeyCipher({ isLight: true })
  await fc.assert(
    fc.asyncProperty(
      fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .filter((key) => key.some((byte) => byte > 0) && key[0] !== 255),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      async (key, password) => {
        const written = await cipher.encrypt(key, password)
        const text = renderKeyFile(written)
        expect(text).not.toContain(toHex(key).slice(2))
        const read = parseKeyFile(text)
        expect(read.address).toEqual(privateKeyToAddress(key))
        expect(toHex(await cipher.decrypt(read, password))).toBe(toHex(key))
      },
    ),
    { numRuns: 15 },
  )
})

test('a file whose address is another one is rejected', async () => {
  const cipher = new KeyCipher({ isLight: true })
  const key = new Uint8Array(32).fill(1)
  const file = await cipher.encrypt(key, 'p')
  const lie = { ...file, address: new Uint8Array(20) }
  await expect(cipher.decrypt(lie, 'p')).rejects.toThrow(/its key is of 0x/)
})

test('half a surrogate pair is not text', async () => {
  const cipher = new KeyCipher({ isLight: true })
  await expect(cipher.encrypt(new Uint8Array(32).fill(1), '\ud800')).rejects.toThrow(KeystoreError)
})

test('derivations run one at a time, off the main thread', async () => {
  const cipher = new KeyCipher({ isLight: true })
  const key = new Uint8Array(32).fill(1)
  const finished: number[] = []
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await Promise.all([0, 1, 2, 3].map((index) => cipher.encrypt(key, 'p').then(() => finished.push(index))))
  clearInterval(timer)
  expect(finished).toEqual([0, 1, 2, 3])
  expect(turns).toBeGreaterThan(5)
})

test('more than can wait is rejected', slow, async () => {
  const cipher = new KeyCipher({ isLight: true })
  const key = new Uint8Array(32).fill(1)
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => cipher.encrypt(key, 'p')))
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(13)
  expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ kind: 'limit exceeded' })
})
