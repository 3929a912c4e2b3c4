import type { Clock } from './clock.ts'

interface UnlockedKey {
  readonly key: Uint8Array
  /** The end in time of the monotonic clock; Infinity means until the process exits. */
  readonly until: number
  readonly cancel: () => void
}

/** The keys of unlocked accounts, by address in hex. A key that is removed is overwritten with zeros. */
export class UnlockedKeys {
  readonly #clock: Clock
  readonly #held = new Map<string, UnlockedKey>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Adds a key and takes ownership of it. 0 seconds means until the process exits; a later call does not shorten
   * that (as in geth).
   */
  add(account: string, key: Uint8Array, seconds: number): void {
    if (this.#held.get(account)?.until === Number.POSITIVE_INFINITY && seconds > 0) {
      key.fill(0)
      return
    }
    this.remove(account)
    if (seconds === 0) {
      this.#held.set(account, { key, until: Number.POSITIVE_INFINITY, cancel: () => {} })
      return
    }
    const cancel = this.#clock.schedule(seconds * 1000, () => this.remove(account))
    this.#held.set(account, { key, until: this.#clock.now() + seconds * 1000, cancel })
  }

  get(account: string): Uint8Array | undefined {
    const held = this.#held.get(account)
    if (held === undefined) return undefined
    if (this.#clock.now() < held.until) return held.key
    // A busy process runs its timers late, but the key has expired.
    this.remove(account)
    return undefined
  }

  remove(account: string): void {
    const held = this.#held.get(account)
    if (held === undefined) return
    held.cancel()
    held.key.fill(0)
    this.#held.delete(account)
  }

  accounts(): readonly string[] {
    return [...this.#held.keys()]
  }

  close(): void {
    for (const account of this.accounts()) this.remove(account)
  }
}
