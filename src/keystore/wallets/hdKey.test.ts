import { HDKey } from '@scure/bip32'
import { expect, test, vi } from 'vitest'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { deriveKey, takePrivateKey } from './hdKey.ts'

/** The first vectors of BIP-32, by seed and path. */
const first = '0x000102030405060708090a0b0c0d0e0f'
const second =
  '0xfffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542'

test.each([
  [first, 'm', 'e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35'],
  [first, "m/0'", 'edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea'],
  [first, "m/0'/1", '3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368'],
  [first, "m/0'/1/2'", 'cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca'],
  [first, "m/0'/1/2'/2/1000000000", '471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8'],
  [second, 'm', '4b03d6fc340455b363f51020ad3ecca4f0850280cf436c70c727923f6db46c3e'],
  [second, 'm/0', 'abe74a98f6c7eabee0428f53798f0ab8aa1bd37873999041703c742f15ac7e1e'],
])('%s at %s', (seed, path, expected) => {
  expect(toHex(takePrivateKey(deriveKey(fromHex(seed), path)))).toBe(`0x${expected}`)
})

test('a key that was taken is overwritten where it was', () => {
  const key = deriveKey(fromHex(first), "m/44'/60'/0'/0/0")
  takePrivateKey(key)
  expect(key.privateKey).toBeNull()
  expect(() => takePrivateKey(key)).toThrow('overwritten')
})

test('the keys on the way to one that cannot be derived are overwritten', () => {
  const wipe = vi.spyOn(HDKey.prototype, 'wipePrivateData')
  try {
    expect(() => deriveKey(fromHex(first), "m/44'/x")).toThrow('invalid child index')
    const wiped = wipe.mock.contexts as HDKey[]
    expect(wiped.map(({ depth, privateKey }) => [depth, privateKey])).toEqual([
      [0, null],
      [1, null],
    ])
  } finally {
    wipe.mockRestore()
  }
})
