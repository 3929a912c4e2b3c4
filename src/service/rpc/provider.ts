import { EventEmitter } from 'node:events'
import type { InProcessConnection } from '../../rpc/transport/inProcess.ts'
import type { Provider, RequestResult } from './providerTypes.ts'

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
    // What is answered has the type that the table of methods says; its tests hold it to that.
    request: async <Name extends string>({ method, params }: { method: Name; params?: unknown }) =>
      (await connection.request(method, params)) as RequestResult<Name>,
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
