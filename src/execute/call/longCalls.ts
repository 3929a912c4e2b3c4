import { LRUCache } from 'lru-cache'
import type { CallRequest } from '../../chain/port/executor.ts'

/** The number of contracts and functions that are remembered, and for how long. */
const maxCalls = 1024
const rememberedMs = 10_000

/** The length of the selector of a function. */
const selectorBytes = 4

/**
 * The functions whose calls were lately too long for the main thread. The next call of the same function is nearly always
 * as long, and goes to a worker at once: the main thread does not run the beginning of it in vain.
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

/** Returns the function that is called. Code that the caller brings is told apart by its length alone. */
const toKey = (kind: string, { request: { to, data }, stateOverrides = [] }: CallRequest): string => {
  const lengths = stateOverrides.map(({ code }) => code?.length ?? 0).join()
  return `${kind} ${latin1(to)} ${latin1(data?.subarray(0, selectorBytes))} ${lengths}`
}

const latin1 = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
