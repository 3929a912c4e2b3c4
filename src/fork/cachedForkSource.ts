import { type Account, emptyCodeHash } from '../chain/state/evmState.ts'
import { type ForkKey, type ForkSource, MissingForkValueError } from '../chain/state/forkSource.ts'
import type { ForkCache } from './forkCache.ts'

/** Makes values known, or throws. */
export type Resolve = (keys: readonly ForkKey[]) => void

const noCode = new Uint8Array(0)
const zeroWord = new Uint8Array(32)

/** Reads the state of the fork block from the cache; what is not there is resolved first. */
export class CachedForkSource implements ForkSource {
  readonly number: number
  readonly #cache: ForkCache
  readonly #resolve: Resolve

  constructor(number: number, cache: ForkCache, resolve: Resolve) {
    this.number = number
    this.#cache = cache
    this.#resolve = resolve
  }

  account(address: Uint8Array): Account | undefined {
    const known = this.#cache.account(address)
    if (known !== 'unknown') return known
    this.#resolve([{ kind: 'account', address }])
    const found = this.#cache.account(address)
    if (found === 'unknown') throw lost('account')
    return found
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const known = this.#cache.storage(address, slot)
    if (known !== undefined) return known
    // What does not exist has no storage.
    if (this.#cache.account(address) === undefined) return zeroWord.slice()
    this.#resolve([{ kind: 'slot', address, slot }])
    const found = this.#cache.storage(address, slot)
    if (found === undefined) throw lost('slot')
    return found
  }

  code(codeHash: Uint8Array): Uint8Array | undefined {
    if (Buffer.compare(codeHash, emptyCodeHash) === 0) return noCode
    const known = this.#cache.code(codeHash)
    if (known !== undefined) return known
    // Another thread may have read the account in this very turn.
    this.#cache.refresh()
    return this.#cache.code(codeHash)
  }

  blockHash(number: number): Uint8Array | undefined {
    if (number < 0 || number >= this.number) return undefined
    const known = this.#cache.blockHash(number)
    if (known !== undefined) return known
    this.#resolve([{ kind: 'hash', number }])
    const found = this.#cache.blockHash(number)
    if (found === undefined) throw lost('hash')
    return found
  }

  load(keys: readonly ForkKey[]): void {
    const missing = keys.filter((key) => !this.#cache.has(key))
    if (missing.length > 0) this.#resolve(missing)
  }
}

const lost = (what: string): Error =>
  new Error(`the ${what} of the remote chain was fetched and is not there`)

/** Resolves nothing, on a thread that must not wait: whoever reads has the values loaded and reads again. */
export const throwMissing =
  (load: (keys: readonly ForkKey[]) => Promise<void>): Resolve =>
  (keys) => {
    throw new MissingForkValueError(() => load(keys))
  }
