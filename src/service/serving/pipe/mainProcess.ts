import { type ClientConnection, Notification } from '../../../base/notification.ts'
import { errorCodes, limitExceeded, RpcError, requestTimedOut, unavailable } from '../../../rpc/errors.ts'
import type { CallScope } from '../../../rpc/method.ts'
import { RawJson } from '../../../rpc/rawJson.ts'
import type { PageContent } from '../../../rpc/transport/pages.ts'
import { type FrameChannel, frameKinds } from './frames.ts'
import { encodeCall } from './wire.ts'

interface Waiting {
  readonly resolve: (payload: Buffer) => void
  readonly reject: (error: Error) => void
}

/** A client's connection that the main process knows by its number. */
interface KnownConnection {
  readonly id: number
  readonly connection: ClientConnection
  /** The calls that subscribe it and whose answers are not sent yet. */
  subscribing: number
  /** What the main process sent meanwhile: notifications come after the response that names their subscription. */
  held: Buffer[]
  /** Whether the main process knows that the client has much unread. */
  isFull: boolean
}

/** The most that may wait to be read by the main process. What comes on top is rejected. */
const maxUnreadCallBytes = 64 * 2 ** 20

const noId = new Uint8Array()

/** The main process, as a serving process sees it. */
export class MainProcess {
  readonly #channel: FrameChannel
  readonly #waiting = new Map<number, Waiting>()
  readonly #byConnection = new Map<ClientConnection, KnownConnection>()
  readonly #byId = new Map<number, KnownConnection>()
  #lastCall = 0
  #lastConnection = 0

  constructor(channel: FrameChannel) {
    this.#channel = channel
  }

  /** Passes a call on, and returns its result as it came. */
  async call(method: string, params: readonly unknown[], scope: CallScope): Promise<RawJson> {
    if (this.#channel.backlog > maxUnreadCallBytes)
      throw limitExceeded('too many calls wait for the main process')
    const id = this.#nextCall()
    const known = scope.connection && this.#know(scope.connection)
    const result = new Promise<Buffer>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#channel.sendText(
      frameKinds.call,
      id,
      `${known?.id ?? 0} ${encodeCall(scope.caller, method, params, scope.answerWithinMs)}`,
    )
    // Whoever called must learn of it: it counts among what runs until then.
    const leave = (): void => {
      const waiting = this.#settle(id)
      if (waiting === undefined) return
      this.#channel.send(frameKinds.abort, id)
      waiting.reject(requestTimedOut())
    }
    scope.signal.addEventListener('abort', leave, { once: true })
    if (known !== undefined && method.endsWith('_subscribe')) {
      known.subscribing++
      scope.afterResponse(() => this.#release(known))
    }
    try {
      return new RawJson(await result)
    } finally {
      scope.signal.removeEventListener('abort', leave)
    }
  }

  /** Returns a page as the main process renders it. */
  async page(path: string): Promise<PageContent> {
    const id = this.#nextCall()
    const content = new Promise<Buffer>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#channel.sendText(frameKinds.page, id, path)
    return JSON.parse((await content).toString()) as PageContent // rendered by the main process
  }

  /** Takes a frame; returns false for one that is not about calls. */
  receive(kind: number, id: number, payload: Buffer): boolean {
    switch (kind) {
      case frameKinds.result:
        this.#settle(id)?.resolve(payload)
        return true
      case frameKinds.error:
        this.#settle(id)?.reject(toError(payload))
        return true
      case frameKinds.push:
        this.#push(id, payload)
        return true
      case frameKinds.disconnect:
        this.#byId.get(id)?.connection.disconnect(payload.toString())
        return true
      default:
        return false
    }
  }

  /** Ends everything that waits, because the main process is gone. */
  close(): void {
    for (const { reject } of this.#waiting.values()) reject(unavailable('the node is stopping'))
    this.#waiting.clear()
  }

  #nextCall(): number {
    this.#lastCall = (this.#lastCall + 1) % 2 ** 32
    return this.#lastCall
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #know(connection: ClientConnection): KnownConnection {
    const known = this.#byConnection.get(connection)
    if (known !== undefined) return known
    this.#lastConnection++
    const added: KnownConnection = {
      id: this.#lastConnection,
      connection,
      subscribing: 0,
      held: [],
      isFull: false,
    }
    this.#byConnection.set(connection, added)
    this.#byId.set(added.id, added)
    connection.onceClosed(() => {
      this.#byConnection.delete(connection)
      this.#byId.delete(added.id)
      this.#channel.send(frameKinds.connectionClosed, added.id)
    })
    return added
  }

  #push(id: number, message: Buffer): void {
    const known = this.#byId.get(id)
    if (known === undefined) return
    if (known.subscribing > 0) known.held.push(message)
    else this.#deliver(known, message)
  }

  #release(known: KnownConnection): void {
    known.subscribing--
    if (known.subscribing === 0) for (const message of known.held.splice(0)) this.#deliver(known, message)
  }

  #deliver(known: KnownConnection, message: Buffer): void {
    const { id, connection } = known
    // The subscription's id is in the text already.
    connection.push(new Notification([{ head: message, tail: noId }], 0), noId)
    if (known.isFull || !connection.isFull) return
    // Whoever sends what can wait is in the main process.
    known.isFull = true
    this.#channel.send(frameKinds.connectionFull, id)
    connection.onceDrained(() => {
      known.isFull = false
      this.#channel.send(frameKinds.connectionDrained, id)
    })
  }
}

const toError = (payload: Buffer): RpcError => {
  const { code, message, data } = JSON.parse(payload.toString()) as RpcError // written by the main process
  return new RpcError(code ?? errorCodes.internal, message, data)
}
