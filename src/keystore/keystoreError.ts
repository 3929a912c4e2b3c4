/**
 * The kinds of keystore errors:
 * - `refused`: the key, the passphrase or the file is not valid
 * - `invalid`: a name that can never be valid
 * - `limit exceeded`: too many guesses, or too much work at once
 */
export type KeystoreErrorKind = 'refused' | 'invalid' | 'limit exceeded'

/** An error about keys that is shown to the client. Its message never holds a passphrase or a key. */
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

/** Creates the error with geth's message, which clients match on. */
export const wrongPassphraseError = (): KeystoreError => refused('could not decrypt key with given password')

export const noSuchKeyError = (): KeystoreError => refused('no key for given address or file')

export const tooManyKeys = (): KeystoreError =>
  limitExceeded('too many keys are being opened at once: try again soon')

export const badKeyFileError = (why: string): KeystoreError => refused(`the key file is not valid: ${why}`)
