import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'

/** The path that wallets use for Ethereum (BIP-44), without the index of the account. */
const ethereumPath = "m/44'/60'/0'/0"

/** Returns the first private keys of a mnemonic without a passphrase. */
export const deriveMnemonicKeys = (words: string, count: number): readonly Uint8Array[] => {
  const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(words)).derive(ethereumPath)
  return Array.from({ length: count }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    if (privateKey === null) throw new Error(`the mnemonic has no key ${index}`)
    return privateKey
  })
}
