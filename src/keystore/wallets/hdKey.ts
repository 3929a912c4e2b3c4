import { HDKey } from '@scure/bip32'

/**
 * Derives the key of a seed at a path such as m/44'/60'/0'/0 (BIP-32), and overwrites the private keys on the way to it. The
 * caller must overwrite that of the result (`wipePrivateData`). Chain codes and what the library computes with stay in
 * memory until it is reused.
 */
export const deriveKey = (seed: Uint8Array, path: string): HDKey => {
  let key = HDKey.fromMasterSeed(seed)
  for (const step of path.split('/').slice(1)) {
    const parent = key
    try {
      key = parent.derive(`m/${step}`)
    } finally {
      parent.wipePrivateData()
    }
  }
  return key
}

/** Returns the private key and overwrites it where it was. */
export const takePrivateKey = (key: HDKey): Uint8Array => {
  const { privateKey } = key
  key.wipePrivateData()
  if (privateKey === null) throw new Error('the key was overwritten')
  return privateKey
}
