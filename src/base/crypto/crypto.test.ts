import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../encoding/hex.ts'
import { nobleSecp256k1 } from '../platform/nobleSecp256k1.ts'
import { secp256k1Kind } from '../platform/node/secp256k1.ts'
import { keccak256, privateKeyToAddress, secp256k1 } from './crypto.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

describe('keccak256', () => {
  it('agrees with noble', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (data) => {
        expect(toHex(keccak256(data))).toBe(toHex(keccak_256(data)))
      }),
    )
  })

  it('agrees with noble around the size of its buffer', () => {
    for (const length of [16_383, 16_384, 16_385, 32_768, 50_000]) {
      const data = Uint8Array.from({ length }, (_, index) => index * 7)
      expect(toHex(keccak256(data))).toBe(toHex(keccak_256(data)))
    }
  })

  it('hands out digests that later calls leave alone', () => {
    const first = keccak256(Uint8Array.of(1))
    const before = toHex(first)
    keccak256(Uint8Array.of(2))
    expect(toHex(first)).toBe(before)
  })
})

describe('secp256k1', () => {
  it('runs natively here', () => {
    expect(secp256k1Kind()).toBe('native')
  })

  it('agrees with noble on what a private key is', () => {
    const values = ['0'.repeat(64), `${'0'.repeat(63)}1`, order, 'f'.repeat(64), '1', '']
    const [last, next] = [-1n, 1n].map((step) => (BigInt(`0x${order}`) + step).toString(16))
    for (const value of [...values, last, next].map((hex) => Buffer.from(String(hex), 'hex')))
      expect(secp256k1.isPrivateKey(value)).toBe(nobleSecp256k1.isPrivateKey(value))
  })

  it('agrees with noble on keys, signatures and recovery', () => {
    fc.assert(
      fc.property(bytes(32), bytes(32), (key, hash) => {
        expect(secp256k1.isPrivateKey(key)).toBe(nobleSecp256k1.isPrivateKey(key))
        if (!secp256k1.isPrivateKey(key)) return
        const publicKey = secp256k1.publicKey(key)
        expect(toHex(publicKey)).toBe(toHex(nobleSecp256k1.publicKey(key)))
        const signature = secp256k1.sign(hash, key)
        expect(toHex(nobleSecp256k1.sign(hash, key).compact)).toBe(toHex(signature.compact))
        expect(toHex(secp256k1.recover(hash, signature) as Uint8Array)).toBe(toHex(publicKey))
        expect(toHex(nobleSecp256k1.recover(hash, signature) as Uint8Array)).toBe(toHex(publicKey))
      }),
      { numRuns: 30 },
    )
  })

  it('agrees with noble on signatures that were never made', () => {
    fc.assert(
      fc.property(bytes(32), bytes(64), fc.integer({ min: 0, max: 1 }), (hash, compact, recovery) => {
        const [native, noble] = [secp256k1, nobleSecp256k1].map((one) =>
          one.recover(hash, { compact, recovery }),
        )
        expect(native && toHex(native)).toBe(noble && toHex(noble))
      }),
      { numRuns: 60 },
    )
  })

  it('recovers from a high s, and nothing from r or s outside the group', () => {
    const key = new Uint8Array(32).fill(3)
    const hash = new Uint8Array(32).fill(4)
    const { compact, recovery } = secp256k1.sign(hash, key)
    const s = BigInt(order.replace(/^/, '0x')) - BigInt(toHex(compact.subarray(32)))
    const high = fromHex(`${toHex(compact.subarray(0, 32))}${s.toString(16).padStart(64, '0')}`)
    for (const one of [secp256k1, nobleSecp256k1]) {
      const found = one.recover(hash, { compact: high, recovery: 1 - recovery })
      expect(toHex(found as Uint8Array)).toBe(toHex(one.publicKey(key)))
      const zero = '00'.repeat(32)
      const ones = '11'.repeat(32)
      for (const bad of [zero + ones, ones + zero, order + ones, ones + order])
        expect(one.recover(hash, { compact: fromHex(`0x${bad}`), recovery: 0 })).toBeUndefined()
    }
  })

  it('makes the address of a known key', () => {
    // The first account of the public mnemonic "test test … junk".
    const key = fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
    expect(toHex(privateKeyToAddress(key))).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
  })
})
