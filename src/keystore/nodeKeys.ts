import { join } from 'node:path'
import type { WaitRecorder } from '../base/profiling/lockWaits.ts'
import { type Clock, monotonicClock } from './clock.ts'
import { leaveOutOfCoreDumps } from './coreDumps.ts'
import { DevKeys } from './devKeys.ts'
import { Guesses } from './guesses.ts'
import { KeyCipher } from './keyFile/cipher.ts'
import { keyFileText, parseKeyFile } from './keyFile/keyFile.ts'
import { KeyFiles } from './keyFile/keyFiles.ts'
import { Keystore } from './keystore.ts'
import { Wallets } from './wallets/wallets.ts'

export interface NodeKeysOptions {
  readonly home: string
  /** New files get geth's light parameters: less memory and time for us, and for who guesses. */
  readonly isLight: boolean
  /** Accounts that are unlocked from the start, with the empty passphrase. */
  readonly devKeys: readonly Uint8Array[]
  /** Counts who waits to derive a key. */
  readonly waits?: WaitRecorder
}

/** All that a node knows of keys. */
export interface NodeKeys {
  readonly keystore: Keystore
  readonly wallets: Wallets
  readonly files: KeyFiles
  /** The key of a key file that is not ours; the caller's to zero. */
  openForeign(text: string, passphrase: string): Promise<Uint8Array>
  /** The text of a key file for use elsewhere. */
  encryptForeign(key: Uint8Array, passphrase: string): Promise<string>
  /** Overwrites every key in memory. */
  close(): void
}

export const keyFolderOf = (home: string): string => join(home, 'keystore')

/** Throws `KeystoreError` where the folder of the keys is open to others, or no folder. */
export const openNodeKeys = (
  { home, isLight, devKeys, waits }: NodeKeysOptions,
  clock: Clock = monotonicClock,
): NodeKeys => {
  leaveOutOfCoreDumps()
  const parts = { cipher: new KeyCipher({ isLight, waits }), guesses: new Guesses(clock) }
  const files = new KeyFiles(keyFolderOf(home), parts)
  const wallets = new Wallets(join(home, 'wallets'), parts)
  const dev = new DevKeys(devKeys, parts)
  const keystore = new Keystore({ files, sources: [dev, files, wallets], clock })
  keystore.list()
  for (const [address, key] of dev.entries()) keystore.holdOpen(address, key, 0)
  return {
    keystore,
    wallets,
    files,
    openForeign: async (text, passphrase) => parts.cipher.decrypt(parseKeyFile(text), passphrase),
    encryptForeign: async (key, passphrase) => keyFileText(await parts.cipher.encrypt(key, passphrase)),
    close: () => {
      keystore.close()
      wallets.close()
    },
  }
}
