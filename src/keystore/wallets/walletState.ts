/** A wallet as clients see it: a key file with its account, or a wallet with its derived accounts. */
export interface WalletAccount {
  readonly address: Uint8Array
  readonly url: string
}

export interface WalletState {
  readonly url: string
  readonly status: string
  readonly accounts: readonly WalletAccount[]
}
