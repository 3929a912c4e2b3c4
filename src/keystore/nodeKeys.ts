import { join } from 'node:path'
import type { LockWaitRecorder } from '../base/profiling/lockWaitStats.ts'
import { type Clock, monotonicClock } from './clock.ts'
import { excludeFromCoreDumps } from './coreDumps.ts'
import { DevKeys } from './devKeys.ts'
import { KeyCipher } from './keyFile/cipher.ts'
import { parseKeyFile, renderKeyFile } from './keyFile/keyFile.ts'
import { KeyFileStore } from './keyFile/keyFileStore.ts'
import { Keystore } from './keystore.ts'
import { PassphraseThrottle } from './passphraseThrottle.ts'
import { WalletManager } from './wallets/walletManager.ts'

export interface NodeKeysOptions {
  readonly home: string
  /** New files get geth's light parameters: less memory and time for us, and for who guesses. */
  readonly isLight: boolean
  /** Accounts that are unlocked from the start, with the empty passphrase. */
  readonly devKeys: readonly Uint8Array[]
  /** Counts who waits to derive a key. */
  readonly waits?: LockWaitRecorder
}

/** All that a node knows of keys. */
export interface NodeKeys {
  readonly keystore: Keystore
  readonly wallets: WalletManager
  readonly files: KeyFileStore
  /** The key of a key file that is not ours; the caller's to zero. */
  decryptKeyFile(text: string, passphrase: string): Promise<Uint8Array>
  /** The text of a key file for use elsewhere. */
  encryptKeyFile(key: Uint8Array, passphrase: string): Promise<string>
  /** Overwrites every key in memory. */
  close(): void
}

export const keystorePath = (home: string): string => join(home, 'keystore')

/** Throws `KeystoreError` where the folder of the keys is open to others, or no folder. */
export const openNodeKeys = (
  { home, isLight, devKeys, waits }: NodeKeysOptions,
  clock: Clock = monotonicClock,
): NodeKeys => {
  excludeFromCoreDumps()
  const parts = { cipher: new KeyCipher({ isLight, waits }), guesses: new PassphraseThrottle(clock) }
  const files = new KeyFileStore(keystorePath(home), parts)
  const wallets = new WalletManager(join(home, 'wallets'), parts)
  const dev = new DevKeys(devKeys, parts)
  const keystore = new Keystore({ files, sources: [dev, files, wallets], clock })
  keystore.list()
  for (const [address, key] of dev.entries()) keystore.unlockWithKey(address, key, 0)
  return {
    keystore,
    wallets,
    files,
    decryptKeyFile: async (text, passphrase) => parts.cipher.decrypt(parseKeyFile(text), passphrase),
    encryptKeyFile: async (key, passphrase) => renderKeyFile(await parts.cipher.encrypt(key, passphrase)),
    close: () => {
      keystore.close()
      wallets.close()
    },
  }
}
