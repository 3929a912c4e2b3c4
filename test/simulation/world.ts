import { createHash } from 'node:crypto'
import { createRandom, type Random } from '../support/random.ts'

interface Event {
  readonly at: number
  readonly order: number
  readonly act: () => Promise<void> | void
}

/**
 * The virtual clock with all that happens in a run, one thing after the other: nothing depends on the computer's own time.
 */
export class World {
  readonly random: Random
  /** Milliseconds since 1970. */
  now: number
  /** How far the clock of the node that runs now is ahead. */
  skew = 0
  readonly #events: Event[] = []
  readonly #digest = createHash('sha256')
  #order = 0

  constructor(seed: number) {
    this.random = createRandom(seed)
    this.now = 0
  }

  /** Has something happen later; what is for the same time happens in this order. */
  schedule(delay: number, act: Event['act']): void {
    const event = { at: this.now + delay, order: this.#order++, act }
    let low = 0
    let high = this.#events.length
    // The next event is the last of the list.
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#events[middle] as Event
      if (other.at > event.at || (other.at === event.at && other.order > event.order)) low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, event)
  }

  /** Has the next thing happen. */
  async step(): Promise<void> {
    const event = this.#events.pop()
    if (event === undefined) throw new Error('nothing happens any more')
    this.now = event.at
    await event.act()
  }

  /** Adds to the digest of the run, which is the same whenever the seed is. */
  record(text: string): void {
    this.#digest.update(`${this.now} ${text}\n`)
  }

  digest(): string {
    return this.#digest.copy().digest('hex')
  }

  /** Runs `act` with the program's clock set to this one. */
  async withClock<Result>(act: () => Promise<Result>): Promise<Result> {
    const real = Date.now
    Date.now = () => this.now + this.skew
    try {
      return await act()
    } finally {
      Date.now = real
    }
  }
}
