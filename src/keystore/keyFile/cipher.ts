import { createCipheriv, createDecipheriv, randomBytes, timingSafeEqual } from 'node:crypto'
import { keccak256, privateKeyToAddress, secp256k1 } from '../../base/crypto/crypto.ts'
import { concatBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { LockWaitRecorder } from '../../base/profiling/lockWaitStats.ts'
import { KeyedQueue } from '../../base/threads/keyedQueue.ts'
import { badKeyFileError, refused, tooManyKeys, wrongPassphraseError } from '../keystoreError.ts'
import { deriveKey } from './derivation.ts'
import type { ScryptParams } from './kdf.ts'
import type { KeyFile, NewKeyFile } from './keyFile.ts'

/** Limits and records the guesses of a passphrase. */
export interface AttemptGuard {
  /** Throws if it is too early for another guess. */
  before(): void
  wrong(): void
  right(): void
}

export const noopAttemptGuard: AttemptGuard = { before: () => {}, wrong: () => {}, right: () => {} }

/** The standard and light parameters of geth. */
const standardKdf = { n: 2 ** 18, r: 8, p: 1 } as const
const lightKdf = { n: 2 ** 12, r: 8, p: 6 } as const

const derivedBytes = 32
const keyBytes = 32
/**
 * The number of derivations that may wait. Each takes about a second, so that a longer queue would exceed the
 * timeouts of clients.
 */
const maxWaiting = 16

const passwordForms = (passphrase: string): readonly string[] => {
  if (/\p{Surrogate}/u.test(passphrase))
    throw refused('the passphrase is not a text: it has half a surrogate pair')
  // geth and web3.py use the bytes as they are, ethers those of the NFKC form.
  const normal = passphrase.normalize('NFKC')
  return normal === passphrase ? [passphrase] : [passphrase, normal]
}

/** Encrypts and decrypts keys one at a time, because two derivations at once would use half a gigabyte. */
export class KeyCipher {
  readonly #kdf: Pick<ScryptParams, 'n' | 'r' | 'p'>
  readonly #queue: KeyedQueue

  constructor({
    isLight,
    waits,
  }: { readonly isLight: boolean; readonly waits?: LockWaitRecorder | undefined }) {
    this.#kdf = isLight ? lightKdf : standardKdf
    const options = { name: 'turn to derive a key', limit: { maxWaiting, error: tooManyKeys } }
    this.#queue = new KeyedQueue(options, waits)
  }

  async encrypt(key: Uint8Array, passphrase: string): Promise<NewKeyFile> {
    const [password] = passwordForms(passphrase)
    const address = privateKeyToAddress(key)
    return this.#queue.run('key', async () => {
      const salt = new Uint8Array(randomBytes(32))
      const kdf: ScryptParams = { kind: 'scrypt', ...this.#kdf, dklen: derivedBytes, salt }
      const iv = new Uint8Array(randomBytes(16))
      return withDerived(password as string, kdf, (derived) => {
        const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
        const cipherText = concatBytes(cipher.update(key), cipher.final())
        return { address, cipherText, iv, mac: macOf(derived, cipherText), kdf }
      })
    })
  }

  /** Decrypts a key, which the caller must overwrite. */
  async decrypt(
    file: KeyFile,
    passphrase: string,
    watch: AttemptGuard = noopAttemptGuard,
  ): Promise<Uint8Array> {
    const forms = passwordForms(passphrase)
    return this.#queue.run('key', async () => {
      watch.before()
      for (const form of forms) {
        const key = await withDerived(form, file.kdf, (derived) => decryptKey(file, derived))
        if (key === undefined) continue
        watch.right()
        return verifyAddress(key, file)
      }
      watch.wrong()
      throw wrongPassphraseError()
    })
  }
}

const withDerived = async <T>(
  passphrase: string,
  kdf: KeyFile['kdf'],
  use: (derived: Uint8Array) => T,
): Promise<T> => {
  const password = Buffer.from(passphrase)
  try {
    const derived = await deriveKey(password, kdf)
    try {
      return use(derived)
    } finally {
      derived.fill(0)
    }
  } finally {
    password.fill(0)
  }
}

const macOf = (derived: Uint8Array, cipherText: Uint8Array): Uint8Array =>
  keccak256(concatBytes(derived.subarray(16, 32), cipherText))

/** Returns the decrypted key; undefined if the passphrase is wrong. */
const decryptKey = ({ cipherText, iv, mac }: KeyFile, derived: Uint8Array): Uint8Array | undefined => {
  if (!timingSafeEqual(macOf(derived, cipherText), mac)) return undefined
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const plain = concatBytes(decipher.update(cipherText), decipher.final())
  // Old files have keys without their leading zeros.
  const key = new Uint8Array(keyBytes)
  key.set(plain, keyBytes - plain.length)
  plain.fill(0)
  return key
}

const verifyAddress = (key: Uint8Array, { address }: KeyFile): Uint8Array => {
  if (!secp256k1.isPrivateKey(key)) throw badKeyFileError('what is in it is not a private key')
  const derivedAddress = privateKeyToAddress(key)
  if (address === undefined || equalBytes(derivedAddress, address)) return key
  key.fill(0)
  throw badKeyFileError(`its key is of ${toHex(derivedAddress)}, not of ${toHex(address)}`)
}
