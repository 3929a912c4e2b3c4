import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { createRandom } from '../../../test/support/random.ts'
import * as browserBinary from './browser/binary.ts'
import { ed25519Check as browserEd25519Check } from './browser/ed25519.ts'
import { keccak256 as browserKeccak256 } from './browser/keccak.ts'
import { secp256k1 as browserSecp256k1 } from './browser/secp256k1.ts'
import { sha256 as browserSha256 } from './browser/sha256.ts'
import * as nodeBinary from './node/binary.ts'
import { ed25519Check } from './node/ed25519.ts'
import { keccak256 } from './node/keccak.ts'
import { secp256k1 } from './node/secp256k1.ts'
import { sha256 } from './node/sha256.ts'

/** Both sides have the same functions, which the types hold them to, and the same answers. */
const binaries: readonly [typeof nodeBinary, typeof browserBinary & typeof nodeBinary] = [
  nodeBinary,
  browserBinary,
]

/** The results of both sides. */
const both = <T>(run: (binary: typeof nodeBinary) => T): readonly T[] => binaries.map(run)

const random = createRandom(7)
const samples = [
  ...Array.from({ length: 70 }, (_, length) => random.bytes(length)),
  random.bytes(20_000),
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
]

describe('what is different in Node.js and in browsers', () => {
  test('writes and reads hex and base64 alike', () => {
    for (const bytes of samples) {
      const [hex, ...others] = both(({ encodeHex }) => encodeHex(bytes))
      expect(others).toEqual([hex])
      const [base64, ...more] = both(({ encodeBase64 }) => encodeBase64(bytes))
      expect(more).toEqual([base64])
      for (const { decodeHex, decodeBase64 } of binaries) {
        expect(decodeHex((hex as string).toUpperCase())).toEqual(bytes)
        expect(decodeBase64(base64 as string)).toEqual(bytes)
      }
    }
  })

  test.each([
    'A',
    'AA',
    'AAA',
    'AAA=',
    'AAB=',
    'AA==',
    'AB==',
    'A===',
    '====',
    ' AAAA',
    'AA AA',
    'AA\nAA',
    'AA-_',
    'AAAAé',
    'AA=A',
    '',
  ])('takes canonical base64 alone: %j', (text) => {
    const [inNode, ...others] = both(({ decodeBase64 }) => decodeBase64(text))
    expect(others).toEqual([inNode])
  })

  test('encodes and decodes text alike, invalid UTF-8 too', () => {
    for (const bytes of [
      ...samples,
      Uint8Array.of(0xef, 0xbb, 0xbf, 0x41),
      Uint8Array.of(0xf0, 0x9f, 0x98),
    ]) {
      const [text, ...others] = both(({ decodeUtf8 }) => decodeUtf8(bytes))
      expect(others).toEqual([text])
    }
    for (const text of ['', 'aatom', 'né 😀', '\ud83d', '\ude00 and \ud83d', '\ufeffmark'])
      expect(
        Buffer.compare(...(both(({ encodeUtf8 }) => encodeUtf8(text)) as [Uint8Array, Uint8Array])),
      ).toBe(0)
  })

  test('orders bytes alike', () => {
    for (const one of samples.slice(0, 20))
      for (const other of [one, one.slice(0, -1), Uint8Array.of(...one, 0), ...samples.slice(0, 20)]) {
        const [order, ...others] = both(({ compareBytes }) => compareBytes(one, other))
        expect(others).toEqual([order])
      }
  })

  test('hashes alike', () => {
    for (const bytes of samples) {
      expect(browserKeccak256(bytes)).toEqual(keccak256(bytes))
      const parts = [bytes, bytes.subarray(3), new Uint8Array(0)]
      expect(browserSha256(...parts)).toEqual(new Uint8Array(sha256(...parts)))
    }
  })

  test('checks signatures of secp256k1 alike', () => {
    const [privateKey, hash] = [random.bytes(32), random.bytes(32)]
    const { compact } = secp256k1.sign(hash, privateKey)
    const full = secp256k1.publicKey(privateKey)
    const key = Uint8Array.of(2 + ((full[63] as number) & 1), ...full.subarray(0, 32))
    for (const { verify } of [secp256k1, browserSecp256k1]) {
      expect(verify(hash, compact, key)).toBe(true)
      expect(verify(random.bytes(32), compact, key)).toBe(false)
    }
  })

  test('checks signatures of Ed25519 alike', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const key = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
    const message = random.bytes(100)
    const signature = new Uint8Array(sign(null, message, privateKey))
    for (const check of [ed25519Check(key), browserEd25519Check(key)]) {
      expect(await check(message, signature)).toBe(true)
      expect(await check(random.bytes(100), signature)).toBe(false)
      expect(await check(message, signature.with(5, (signature[5] as number) ^ 1))).toBe(false)
    }
  })

  test('checks signatures of Ed25519 also where the browser fails to', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const key = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
    const message = random.bytes(100)
    const signature = new Uint8Array(sign(null, message, privateKey))
    const verify = vi.spyOn(crypto.subtle, 'verify').mockRejectedValue(new Error('not supported'))
    try {
      const check = browserEd25519Check(key)
      expect(await check(message, signature)).toBe(true)
      expect(await check(random.bytes(100), signature)).toBe(false)
      expect(verify).toHaveBeenCalledTimes(2)
    } finally {
      verify.mockRestore()
    }
  })

  test('takes by ZIP 215 what native checks reject: keys and points of small order', async () => {
    // The neutral element as the key and as R, with S = 0: valid for each message, where the cofactor counts and in other forms too.
    const neutral = Uint8Array.of(1, ...new Uint8Array(31))
    const other = Uint8Array.from([0xee, ...new Uint8Array(30).fill(0xff), 0x7f]) // the same point, not reduced
    for (const key of [neutral, other])
      for (const point of [neutral, other]) {
        const signature = Uint8Array.of(...point, ...new Uint8Array(32))
        for (const check of [ed25519Check(key), browserEd25519Check(key)])
          expect(await check(random.bytes(10), signature)).toBe(true)
      }
  })
})
