import type { Clock } from '../../src/keystore/clock.ts'

/** Time that passes when the test says so. */
export class FakeClock implements Clock {
  #now = 1_000_000
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>()

  now(): number {
    return this.#now
  }

  schedule(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** How many wait. */
  get timers(): number {
    return this.#timers.size
  }

  /** Timers run when they are due, unless this process is too busy for them. */
  pass(ms: number, { isBusy = false } = {}): void {
    this.#now += ms
    if (isBusy) return
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue
      timer.run()
    }
  }
}
