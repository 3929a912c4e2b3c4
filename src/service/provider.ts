import { EventEmitter } from 'node:events'
import type { InProcessConnection } from '../rpc/transport/inProcess.ts'

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

/** Opens the connection of a provider; `onNotification` receives the notifications of its subscriptions. */
export type Connect = (onNotification: (params: unknown) => void) => InProcessConnection

// The overloads of `Provider` give the arguments of each event; the emitter accepts any function.
type Listener = Parameters<EventEmitter['on']>[1]

export const createProvider = (connect: Connect): Provider => {
  const events = new EventEmitter()
  // There is no limit of listeners, because each may be a separate component.
  events.setMaxListeners(0)
  const connection = connect((data) => events.emit('message', { type: 'eth_subscription', data }))
  // In a turn of its own, as messages are: a listener that throws must not keep sockets open.
  connection.onClosed((error) => setImmediate(() => events.emit('disconnect', error)))
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
