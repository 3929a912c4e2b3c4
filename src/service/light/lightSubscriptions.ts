import type { ClientConnection, Notification } from '../../base/notification.ts'
import type { LightMessage, LightProvider } from '../../provider/index.ts'
import { callFailed } from '../../rpc/errors.ts'
import type { CallScope } from '../../rpc/method.ts'

interface Subscriber {
  readonly connection: ClientConnection
  readonly id: string
  readonly idBytes: Uint8Array
}

const requireConnection = ({ connection }: Pick<CallScope, 'connection'>): ClientConnection => {
  if (connection === undefined) throw callFailed('notifications not supported')
  return connection
}

/** The subscriptions of clients, each of them one of the provider. */
export class LightSubscriptions {
  readonly #provider: LightProvider
  readonly #createId: () => string
  readonly #toNotification: (result: unknown) => Notification
  /** By the id of the provider. */
  readonly #subscribers = new Map<string, Subscriber>()

  constructor(
    provider: LightProvider,
    createId: () => string,
    toNotification: (result: unknown) => Notification,
  ) {
    this.#provider = provider
    this.#createId = createId
    this.#toNotification = toNotification
    provider.on('message', (message) => this.#tell(message))
  }

  async add(scope: CallScope, kind: unknown, options: unknown): Promise<string> {
    const connection = requireConnection(scope)
    const inner = String(
      await this.#provider.request({ method: 'eth_subscribe', params: [kind, options ?? {}] }),
    )
    const id = this.#createId()
    // Nothing is reported before the client knows the id.
    scope.afterResponse(() => this.#subscribers.set(inner, { connection, id, idBytes: Buffer.from(id) }))
    connection.onceClosed(() => void this.#end(inner))
    return id
  }

  async remove(scope: CallScope, id: unknown): Promise<boolean> {
    const connection = requireConnection(scope)
    for (const [inner, subscriber] of this.#subscribers)
      if (subscriber.id === id && subscriber.connection === connection) {
        await this.#end(inner)
        return true
      }
    throw callFailed('subscription not found')
  }

  async #end(inner: string): Promise<void> {
    this.#subscribers.delete(inner)
    await this.#provider.request({ method: 'eth_unsubscribe', params: [inner] })
  }

  #tell({ data }: LightMessage): void {
    const subscriber = this.#subscribers.get(data.subscription)
    if (subscriber === undefined) return
    subscriber.connection.push(this.#toNotification(data.result), subscriber.idBytes)
  }
}
