import { pbkdf2Sync } from 'node:crypto'
import { deriveKey, takePrivateKey } from './hdKey.ts'
import { findKnownKeys } from './knownKeys.ts'

/** The path that wallets use for Ethereum (BIP-44), without the index of the account. */
const ethereumPath = "m/44'/60'/0'/0"

/** Returns the seed of a mnemonic without a passphrase (BIP-39). */
const mnemonicToSeed = (words: string): Uint8Array =>
  pbkdf2Sync(words.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512')

/** Returns the first private keys of a mnemonic without a passphrase, under a path such as m/44'/60'/0'/0. */
export const deriveMnemonicKeys = (
  words: string,
  count: number,
  path = ethereumPath,
): readonly Uint8Array[] => findKnownKeys(words, count, path) ?? deriveKeys(words, count, path)

/** Derives the keys, those of the public dev mnemonic too. */
export const deriveKeys = (words: string, count: number, path: string): readonly Uint8Array[] => {
  const seed = mnemonicToSeed(words)
  try {
    const parent = deriveKey(seed, path.replace(/\/$/, ''))
    try {
      return Array.from({ length: count }, (_, index) => takePrivateKey(parent.deriveChild(index)))
    } finally {
      parent.wipePrivateData()
    }
  } finally {
    seed.fill(0)
  }
}
