import { EventEmitter } from 'node:events'
import type { InProcessConnection } from '../rpc/transport/inProcess.ts'

/** What `request` takes (EIP-1193). */
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
 * An EIP-1193 provider in this process: what viem's `custom` and ethers' `BrowserProvider` take. No socket is between, and
 * private methods are allowed. `request` throws errors with the `code`, `message` and `data` of JSON-RPC.
 */
export interface Provider {
  request(args: RequestArguments): Promise<unknown>
  on(event: 'message', listener: (message: ProviderMessage) => void): this
  on(event: 'disconnect', listener: (error: Error) => void): this
  removeListener(event: 'message', listener: (message: ProviderMessage) => void): this
  removeListener(event: 'disconnect', listener: (error: Error) => void): this
}

/** Opens the connection under a provider; what it is given hears the subscriptions' notifications. */
export type Connect = (onNotification: (params: unknown) => void) => InProcessConnection

// The overloads of `Provider` say what each event brings; the emitter takes any function.
type Listener = Parameters<EventEmitter['on']>[1]

export const createProvider = (connect: Connect): Provider => {
  const events = new EventEmitter()
  // As many listeners as the embedder likes: each may be a component of its own.
  events.setMaxListeners(0)
  const connection = connect((data) => events.emit('message', { type: 'eth_subscription', data }))
  connection.onClosed((error) => events.emit('disconnect', error))
  return {
    request: async ({ method, params }) => connection.request(method, params),
    on(event: string, listener: Listener) {
      events.on(event, listener)
      return this
    },
    removeListener(event: string, listener: Listener) {
      events.removeListener(event, listener)
      return this
    },
  }
}
