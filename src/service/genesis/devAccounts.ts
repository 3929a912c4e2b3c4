import { toHex } from '../../base/encoding/hex.ts'
import { type Config, settings } from '../../config/settings/settings.ts'
import { deriveMnemonicKeys } from '../../keystore/wallets/mnemonic.ts'

/** The account after the tenth receives the tips, so that the first ten have round balances. */
const coinbaseIndex = 10

export interface DevKeys {
  /** The accounts that are unlocked and funded by the dev genesis. */
  readonly accounts: readonly Uint8Array[]
  readonly coinbase: Uint8Array
  /** The same accounts in the same order, and at least one more. */
  readonly all: readonly Uint8Array[]
}

/** What was derived from the public mnemonic, which every node of a process would derive again. */
const publicKeys = new Map<string, readonly Uint8Array[]>()

/** Derives keys; public ones are kept for the next time. */
const deriveKeys = (mnemonic: string, count: number, path: string): readonly Uint8Array[] => {
  if (mnemonic !== settings.mnemonic.default) return deriveMnemonicKeys(mnemonic, count, path)
  const name = `${count} ${path}`
  const keys = publicKeys.get(name) ?? deriveMnemonicKeys(mnemonic, count, path)
  publicKeys.set(name, keys)
  return keys.map((key) => key.slice())
}

/** Derives the keys from the mnemonic of the configuration. */
export const deriveDevKeys = ({ mnemonic, accounts, derivationPath }: Config): DevKeys => {
  const all = deriveKeys(mnemonic, Math.max(accounts, coinbaseIndex) + 1, derivationPath)
  return { accounts: all.slice(0, accounts), coinbase: all[coinbaseIndex] as Uint8Array, all } // as many as were requested
}

/** Returns the welcome text of a first start. Keys are shown only if they are publicly known. */
export const renderAccounts = (
  config: Config,
  keys: readonly Uint8Array[],
  addresses: readonly Uint8Array[],
): string => {
  const isPublic = config.mnemonic === settings.mnemonic.default
  const lines = addresses.map((address, index) => {
    const key = isPublic ? `  key ${toHex(keys[index] as Uint8Array)}` : ''
    return `  (${index}) ${toHex(address)}${key}`
  })
  const warning = isPublic ? 'These keys are public: never send anything of value to them.\n' : ''
  return `A new chain with ${addresses.length} accounts of ${config.balance} coins each:\n${lines.join('\n')}\n${warning}`
}
