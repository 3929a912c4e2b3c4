import { toHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/** The account of a mnemonic that wallets show at this place. */
export const accountAt = (mnemonic: string, addressIndex: number): PrivateKeyAccount => {
  const { privateKey } = mnemonicToAccount(mnemonic, { addressIndex }).getHdKey()
  if (privateKey === null) throw new Error(`account ${addressIndex} has no key`)
  return privateKeyToAccount(toHex(privateKey))
}
