import { HDKey } from '@scure/bip32'
import { KeystoreError, refused } from '../keystoreError.ts'

/** Deeper than any wallet goes. */
const maxDepth = 10
const firstHardened = 2 ** 31

const isIndex = (step: string): boolean => Number(step.replace(/'$/, '')) < firstHardened

/** A path of BIP-32 such as m/44'/60'/0'/0/0. */
export const checkDerivationPath = (path: string): void => {
  const steps = path.split('/').slice(1)
  const isPath = /^m(?:\/\d{1,10}'?)+$/.test(path) && steps.length <= maxDepth && steps.every(isIndex)
  if (isPath) return
  throw new KeystoreError('invalid', "the path must be a derivation path such as m/44'/60'/0'/0/0")
}

/** The key at a path below a wallet's own key, which is the seed; the caller's to zero. */
export const deriveChild = (seed: Uint8Array, path: string): Uint8Array => {
  checkDerivationPath(path)
  const root = HDKey.fromMasterSeed(seed)
  try {
    const child = root.derive(path)
    const { privateKey } = child
    if (privateKey === null) throw refused('there is no key at this path')
    const key = Uint8Array.from(privateKey)
    child.wipePrivateData()
    return key
  } finally {
    root.wipePrivateData()
  }
}
