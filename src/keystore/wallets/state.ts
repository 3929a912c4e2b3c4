/** A wallet as it is shown: a key file with its one account, or a wallet with those derived from it. */
export interface WalletAccount {
  readonly address: Uint8Array
  readonly url: string
}

export interface WalletState {
  readonly url: string
  readonly status: string
  readonly accounts: readonly WalletAccount[]
}
