/** Keys of one kind: those in files, those of the dev profile, those of wallets. */
export interface KeySource {
  /** Addresses, in a stable order. */
  list(): readonly Uint8Array[]
  /** The key, which is the caller's to zero. Throws `KeystoreError`. */
  open(address: Uint8Array, passphrase: string): Promise<Uint8Array>
}
