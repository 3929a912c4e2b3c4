import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { CallRequest } from '../chain/port/executor.ts'

/** The number of calls that are remembered, and for how long. */
const maxCalls = 1024
const rememberedMs = 10_000

/**
 * The calls that were lately too long for the main thread. The same call is nearly always as long again, and goes to a worker
 * at once: the main thread does not run the beginning of it in vain. Other calls of the same function tell nothing: through
 * one contract everybody makes long and short ones (multicalls, proxies).
 */
export class LongCalls {
  readonly #calls = new LRUCache<string, true>({ max: maxCalls, ttl: rememberedMs })

  add(kind: string, call: CallRequest): void {
    this.#calls.set(toKey(kind, call), true)
  }

  has(kind: string, call: CallRequest): boolean {
    return this.#calls.size > 0 && this.#calls.has(toKey(kind, call))
  }
}

/** Returns what tells calls apart. Code that the caller brings is told apart by its length alone. */
const toKey = (kind: string, { request: { to, data }, stateOverrides = [] }: CallRequest): string => {
  const lengths = stateOverrides.map(({ code }) => code?.length ?? 0).join()
  const input = data === undefined ? '' : createHash('sha1').update(data).digest('hex')
  return `${kind} ${latin1(to)} ${input} ${lengths}`
}

const latin1 = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
