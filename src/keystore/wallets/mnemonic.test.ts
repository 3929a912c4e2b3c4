import { HDKey } from '@scure/bip32'
import { mnemonicToAccount } from 'viem/accounts'
import { afterEach, expect, test, vi } from 'vitest'
import { keccak256, secp256k1 } from '../../base/crypto/crypto.ts'
import { isMnemonic } from '../../base/crypto/mnemonic.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { keyToAddress } from './knownKeys.ts'
import { deriveKeys, deriveMnemonicKeys } from './mnemonic.ts'

const words = 'test test test test test test test test test test test junk'

afterEach(() => void vi.restoreAllMocks())

test('the accounts are those that every wallet derives', () => {
  const accounts = deriveMnemonicKeys(words, 11).map(keyToAddress)
  const expected = Array.from({ length: 11 }, (_, addressIndex) =>
    mnemonicToAccount(words, { addressIndex }).address.toLowerCase(),
  )
  expect(accounts.map(toHex)).toEqual(expected)
  expect(expected[0]).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
})

test('the keys that everybody knows are those that would be derived, with their addresses', () => {
  const known = deriveMnemonicKeys(words, 11)
  expect(known).toEqual(deriveKeys(words, 11, "m/44'/60'/0'/0"))
  for (const key of known) expect(keyToAddress(key)).toEqual(keccak256(secp256k1.publicKey(key)).subarray(12))
})

test('other words, paths and numbers of accounts are derived', () => {
  const many = deriveMnemonicKeys(words, 12).map(keyToAddress)
  const expected = Array.from({ length: 12 }, (_, addressIndex) =>
    mnemonicToAccount(words, { addressIndex }).address.toLowerCase(),
  )
  expect(many.map(toHex)).toEqual(expected)
  const [elsewhere = new Uint8Array()] = deriveMnemonicKeys(words, 1, "m/44'/60'/1'/0")
  expect(toHex(keyToAddress(elsewhere))).toBe(
    mnemonicToAccount(words, { accountIndex: 1 }).address.toLowerCase(),
  )
})

test('a key that is handed out can be overwritten', () => {
  deriveMnemonicKeys(words, 1)[0]?.fill(0)
  expect(deriveMnemonicKeys(words, 1)[0]?.some((byte) => byte !== 0)).toBe(true)
})

test('the seed and the keys above those that are handed out are overwritten, also if one cannot be derived', () => {
  const seeds = vi.spyOn(HDKey, 'fromMasterSeed')
  const { deriveChild } = HDKey.prototype
  const parents: HDKey[] = []
  vi.spyOn(HDKey.prototype, 'deriveChild').mockImplementation(function (this: HDKey, index) {
    parents.push(this)
    if (index === 2) throw new Error('no key')
    return deriveChild.call(this, index)
  })
  const path = "m/44'/60'/0'/0"
  expect(deriveKeys(words, 2, path)).toHaveLength(2)
  expect(() => deriveKeys(words, 3, path)).toThrow('no key')
  expect(seeds.mock.calls.map(([seed]) => seed.every((byte) => byte === 0))).toEqual([true, true])
  expect(parents.map(({ privateKey }) => privateKey)).toEqual(parents.map(() => null))
})

test('a mnemonic is told apart from other words', () => {
  expect(isMnemonic(words)).toBe(true)
  expect(isMnemonic('test test test test test test test test test test test test')).toBe(false)
})
