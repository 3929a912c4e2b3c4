import { HARDENED_OFFSET } from '@scure/bip32'
import { KeystoreError } from '../keystoreError.ts'
import { deriveKey, takePrivateKey } from './hdKey.ts'

/** The longest path, more than any wallet uses. */
const maxDepth = 10

const isIndex = (step: string): boolean => Number(step.replace(/'$/, '')) < HARDENED_OFFSET

/** Throws unless the path is a BIP-32 derivation path such as m/44'/60'/0'/0/0. */
export const checkDerivationPath = (path: string): void => {
  const steps = path.split('/').slice(1)
  const isPath = /^m(?:\/\d{1,10}'?)+$/.test(path) && steps.length <= maxDepth && steps.every(isIndex)
  if (isPath) return
  throw new KeystoreError('invalid', "the path must be a derivation path such as m/44'/60'/0'/0/0")
}

/** Derives the key at a path from the key of a wallet, which is the seed. The caller must overwrite it. */
export const deriveChild = (seed: Uint8Array, path: string): Uint8Array => {
  checkDerivationPath(path)
  return takePrivateKey(deriveKey(seed, path))
}
