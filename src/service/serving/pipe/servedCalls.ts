import type { Logger } from '../../../base/logging/log.ts'
import type { Caller } from '../../../rpc/access/access.ts'
import { ApiKey } from '../../../rpc/access/apiKey.ts'
import type { Outcome } from '../../../rpc/dispatch/dispatcher.ts'
import type { ForwardedCalls, RunningCall } from '../../../rpc/dispatch/forwardedCalls.ts'
import { internalError, type RpcError, responseTooLong } from '../../../rpc/errors.ts'
import { RawJson, StreamedResult } from '../../../rpc/rawJson.ts'
import type { Pages } from '../../../rpc/transport/pages.ts'
import { type FrameChannel, frameKinds } from './frames.ts'
import { RemoteConnection } from './remoteConnection.ts'
import { decodeCall, type WireCall } from './wire.ts'

export interface ServedCallsDependencies {
  readonly channel: FrameChannel
  readonly calls: ForwardedCalls
  readonly pages: Pages
  readonly keys: KeyNames
  readonly log: Logger
}

/** The longest result that is passed on, which must be in memory as a whole. */
const maxResultBytes = 100_000_000

/** The unread bytes of results above which no further calls are read. */
const pauseAtBytes = 32 * 2 ** 20

/** Stands for API keys by their names. The calls were charged where they came in. */
export class KeyNames {
  readonly #byName = new Map<string, ApiKey>()

  get(name: string): ApiKey {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const cost = { cheap: 0, state: 0, logs: 0, evm: 0, trace: 0, write: 0 }
    const added = new ApiKey({ name, sha256: '', rate: 0, burst: 0, namespaces: undefined, cost })
    this.#byName.set(name, added)
    return added
  }
}

/** Answers what a serving process passes on to the main one. */
export class ServedCalls {
  readonly #dependencies: ServedCallsDependencies
  readonly #running = new Map<number, RunningCall>()
  readonly #connections = new Map<number, RemoteConnection>()
  #isPaused = false
  #unreadBytes = 0

  constructor(dependencies: ServedCallsDependencies) {
    this.#dependencies = dependencies
  }

  /** The bytes of results that the process has not read. */
  get unreadBytes(): number {
    return this.#unreadBytes
  }

  /** Takes a frame; returns false for one that is not about calls. */
  receive(kind: number, id: number, payload: Buffer): boolean {
    switch (kind) {
      case frameKinds.call:
        this.#call(id, payload)
        return true
      case frameKinds.abort:
        this.#running.get(id)?.abandon()
        return true
      case frameKinds.connectionClosed:
        this.#connections.get(id)?.close()
        this.#connections.delete(id)
        return true
      case frameKinds.connectionFull:
        this.#connections.get(id)?.setFull(true)
        return true
      case frameKinds.connectionDrained:
        this.#connections.get(id)?.setFull(false)
        return true
      case frameKinds.page:
        void this.#page(id, payload.toString())
        return true
      default:
        return false
    }
  }

  /** Ends what runs for the process, because it is gone. */
  close(): void {
    for (const call of this.#running.values()) call.abandon()
    for (const connection of this.#connections.values()) connection.close()
    this.#connections.clear()
  }

  #call(id: number, payload: Buffer): void {
    const { calls, log } = this.#dependencies
    const text = payload.toString()
    const space = text.indexOf(' ')
    const connectionId = Number(text.slice(0, space))
    const call = decodeCall(text.slice(space + 1))
    const running = calls.run({
      caller: this.#toCaller(call),
      connection: connectionId === 0 ? undefined : this.#connectionOf(connectionId),
      method: call.method,
      params: call.params,
      size: payload.length,
      answerWithinMs: call.answerWithinMs,
    })
    const { outcome } = running
    if (!(outcome instanceof Promise) && !(outcome instanceof StreamedResult))
      return this.#answer(id, running, outcome)
    const fail = (error: unknown): RpcError => {
      log.error({ err: error, method: call.method }, 'a forwarded call failed')
      return internalError()
    }
    this.#running.set(id, running)
    Promise.resolve(outcome)
      .then((settled) => (settled instanceof StreamedResult ? collect(settled, running) : settled))
      .catch(fail)
      .then((settled) => {
        this.#running.delete(id)
        this.#answer(id, running, settled)
      })
      .catch(fail)
  }

  /** Sends the outcome of a call, whose memory is held until it is read. */
  #answer(id: number, running: RunningCall, outcome: Exclude<Outcome, StreamedResult>): void {
    const { channel } = this.#dependencies
    const size = sizeOf(outcome)
    const isKept = running.memory.reserveResponse(size)
    const sent = isKept ? outcome : running.memory.refusal()
    const onRead = this.#countUnread(isKept ? size : 0, () => running.release())
    if (typeof sent === 'string') channel.sendText(frameKinds.result, id, sent, onRead)
    else if (sent instanceof RawJson) channel.send(frameKinds.result, id, sent.parts, onRead)
    else {
      const { code, message, data } = sent
      channel.sendText(frameKinds.error, id, JSON.stringify({ code, message, data }), onRead)
    }
    running.finish()
    this.#pauseIfFull()
  }

  /** Counts a result that is sent now. Returns what is to be called when it was read. */
  #countUnread(size: number, release: () => void): () => void {
    this.#unreadBytes += size
    return () => {
      this.#unreadBytes -= size
      release()
    }
  }

  /** Reads no further calls while the process does not read the results of those before. */
  #pauseIfFull(): void {
    const { channel } = this.#dependencies
    if (this.#isPaused || channel.backlog < pauseAtBytes) return
    this.#isPaused = true
    channel.pause()
    channel.onceDrained(() => {
      this.#isPaused = false
      channel.resume()
    })
  }

  async #page(id: number, path: string): Promise<void> {
    const { channel, calls, pages, log } = this.#dependencies
    try {
      const page = pages.find(path)
      if (page === undefined) throw new Error(`there is no page ${path}`)
      const text = JSON.stringify(await page())
      const size = Buffer.byteLength(text)
      const onRead = this.#countUnread(size, calls.countPage(size))
      channel.sendText(frameKinds.result, id, text, onRead)
      this.#pauseIfFull()
    } catch (error) {
      log.error({ err: error, page: path }, 'failed to render a page')
      const { code, message } = internalError()
      channel.sendText(frameKinds.error, id, JSON.stringify({ code, message }))
    }
  }

  #toCaller({ caller, keyName }: WireCall): Caller {
    return keyName === undefined ? caller : { ...caller, key: this.#dependencies.keys.get(keyName) }
  }

  #connectionOf(id: number): RemoteConnection {
    const known = this.#connections.get(id)
    if (known !== undefined) return known
    const added = new RemoteConnection(id, this.#dependencies.channel)
    this.#connections.set(id, added)
    return added
  }
}

const collect = async (
  result: StreamedResult,
  { memory }: Pick<RunningCall, 'memory'>,
): Promise<RawJson | RpcError> => {
  const isShort = result.size <= maxResultBytes
  if (isShort && memory.tryHold(result.size)) return new RawJson(await result.collect())
  result.dispose()
  return isShort ? memory.refusal() : responseTooLong(maxResultBytes)
}

const sizeOf = (outcome: Exclude<Outcome, StreamedResult>): number => {
  if (typeof outcome === 'string') return Buffer.byteLength(outcome)
  return outcome instanceof RawJson ? outcome.parts.reduce((sum, part) => sum + part.length, 0) : 0
}
