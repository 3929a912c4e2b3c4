/**
 * - `refused`: the key, the passphrase or the file is not as it must be
 * - `invalid`: a name that can never be one
 * - `limit exceeded`: too many guesses, or too much to do at once
 */
export type KeystoreErrorKind = 'refused' | 'invalid' | 'limit exceeded'

/** A failure about keys that the caller is told about. Its words never hold a passphrase or a key. */
export class KeystoreError extends Error {
  readonly kind: KeystoreErrorKind

  constructor(kind: KeystoreErrorKind, message: string) {
    super(message)
    this.name = 'KeystoreError'
    this.kind = kind
  }
}

export const refused = (why: string): KeystoreError => new KeystoreError('refused', why)

export const limitExceeded = (why: string): KeystoreError => new KeystoreError('limit exceeded', why)

/** The words that clients match on are geth's. */
export const wrongPassphraseError = (): KeystoreError => refused('could not decrypt key with given password')

export const noSuchKeyError = (): KeystoreError => refused('no key for given address or file')

export const tooManyKeys = (): KeystoreError =>
  limitExceeded('too many keys are being opened at once: try again soon')

export const badKeyFileError = (why: string): KeystoreError => refused(`the key file is not valid: ${why}`)
