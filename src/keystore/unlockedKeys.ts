import type { Clock } from './clock.ts'

interface UnlockedKey {
  readonly key: Uint8Array
  /** On the monotonic clock; Infinity until the process exits. */
  readonly until: number
  readonly cancel: () => void
}

/** The keys of unlocked accounts, by address in hex. A key that leaves is overwritten with zeros first. */
export class UnlockedKeys {
  readonly #clock: Clock
  readonly #held = new Map<string, UnlockedKey>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes the key over. 0 seconds: until the process exits, which no later unlocking shortens (as in geth). */
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
    // A busy process runs its timers late; the time is up all the same.
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
