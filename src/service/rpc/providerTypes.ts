/** The arguments of `request` (EIP-1193). */
export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

/** A message of a subscription (EIP-1193, EIP-2255): `data` is the `params` of an `eth_subscription` notification. */
export interface ProviderMessage {
  readonly type: 'eth_subscription'
  readonly data: { readonly subscription: string; readonly result: unknown }
}

/**
 * An EIP-1193 provider in this process, for viem's `custom` and ethers' `BrowserProvider`. It uses no socket, and
 * private methods are allowed. `request` throws errors with the `code`, `message` and `data` of JSON-RPC.
 */
export interface Provider {
  request(args: RequestArguments): Promise<unknown>
  on(event: 'message', listener: (message: ProviderMessage) => void): this
  on(event: 'disconnect', listener: (error: Error) => void): this
  removeListener(event: 'message', listener: (message: ProviderMessage) => void): this
  removeListener(event: 'disconnect', listener: (error: Error) => void): this
}
