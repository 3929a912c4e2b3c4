import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LockWaitRecorder } from '../base/profiling/lockWaitStats.ts'
import { type Clock, monotonicClock } from './clock.ts'
import { DevKeys } from './devKeys.ts'
import { KeyCipher } from './keyFile/cipher.ts'
import { parseKeyFile, renderKeyFile } from './keyFile/keyFile.ts'
import { KeyFileStore } from './keyFile/keyFileStore.ts'
import { Keystore } from './keystore.ts'
import { PassphraseThrottle } from './passphraseThrottle.ts'
import { WalletManager } from './wallets/walletManager.ts'

/** The mappings that a core dump includes, as bits (see core(5)): none, so that no key is in the file. */
const noMappings = '0x0'

/** Excludes the memory of this process from core dumps. It has an effect on Linux only. */
const excludeFromCoreDumps = (): void => {
  try {
    writeFileSync('/proc/self/coredump_filter', noMappings)
  } catch {
    // The system has no such file, or /proc is read-only: the operator decides whether core dumps are written.
  }
}

export interface NodeKeysOptions {
  readonly home: string
  /** Whether new files get geth's light parameters: less memory and time for this process, and for an attacker. */
  readonly isLight: boolean
  /** The accounts that are unlocked from the start, with the empty passphrase. */
  readonly devKeys: readonly Uint8Array[]
  /** Records the waits for key derivations. */
  readonly waits?: LockWaitRecorder
}

/** The keys of a node. */
export interface NodeKeys {
  readonly keystore: Keystore
  readonly wallets: WalletManager
  readonly files: KeyFileStore
  /** Decrypts a key file that is not in the keystore. The caller must overwrite the key. */
  decryptKeyFile(text: string, passphrase: string): Promise<Uint8Array>
  /** Returns the text of a key file for use elsewhere. */
  encryptKeyFile(key: Uint8Array, passphrase: string): Promise<string>
  /** Overwrites every key in memory. */
  close(): void
}

export const keystorePath = (home: string): string => join(home, 'keystore')

/** Opens the keys of a node. Throws `KeystoreError` if their folder is open to others or is not a folder. */
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
