import type { MethodTypes } from './gen/methodTypes.ts'

/** The parameters of a method; those of one that the table of methods does not have are anything. */
type ParamsOf<Name extends string> = Name extends keyof MethodTypes
  ? [] extends MethodTypes[Name]['params']
    ? { readonly params?: MethodTypes[Name]['params'] | undefined }
    : { readonly params: MethodTypes[Name]['params'] }
  : { readonly params?: unknown }

/** The arguments of `request` (EIP-1193). */
export type RequestArguments<Name extends string = string> = { readonly method: Name } & ParamsOf<Name>

/** What `request` gives for a method. */
export type RequestResult<Name extends string> = Name extends keyof MethodTypes
  ? MethodTypes[Name]['result']
  : unknown

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
  request<Name extends string>(args: RequestArguments<Name>): Promise<RequestResult<Name>>
  on(event: 'message', listener: (message: ProviderMessage) => void): this
  on(event: 'disconnect', listener: (error: Error) => void): this
  removeListener(event: 'message', listener: (message: ProviderMessage) => void): this
  removeListener(event: 'disconnect', listener: (error: Error) => void): this
}
