import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { privateKeyToAddress } from '../../base/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { isMnemonic } from '../../base/mnemonic.ts'
import { deriveMnemonicKeys } from './mnemonic.ts'

const words = 'test test test test test test test test test test test junk'

test('the accounts are those that every wallet derives', () => {
  const accounts = deriveMnemonicKeys(words, 11).map(privateKeyToAddress)
  const expected = Array.from({ length: 11 }, (_, addressIndex) =>
    mnemonicToAccount(words, { addressIndex }).address.toLowerCase(),
  )
  expect(accounts.map(toHex)).toEqual(expected)
  expect(expected[0]).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
})

test('a mnemonic is told from other words', () => {
  expect(isMnemonic(words)).toBe(true)
  expect(isMnemonic('test test test test test test test test test test test test')).toBe(false)
})
