/** A source of keys: key files, the dev profile, or wallets. */
export interface KeySource {
  /** Returns the addresses in a stable order. */
  list(): readonly Uint8Array[]
  /** Returns the key, which the caller must overwrite. Throws `KeystoreError`. */
  open(address: Uint8Array, passphrase: string): Promise<Uint8Array>
}
