import { noWaits, type WaitRecorder } from './profiling/lockWaits.ts'

/** Work for the same key runs one after the other, for different keys side by side. */
export class Turns {
  readonly #name: string
  readonly #waits: WaitRecorder
  readonly #last = new Map<string, Promise<unknown>>()

  /** The name is what waits are counted under. */
  constructor(name = 'turn', waits: WaitRecorder = noWaits) {
    this.#name = name
    this.#waits = waits
  }

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const mine = before === undefined ? work() : this.#after(before, work)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }

  #after<T>(before: Promise<unknown>, work: () => Promise<T>): Promise<T> {
    const endWait = this.#waits.begin(this.#name)
    const begin = (): Promise<T> => {
      endWait()
      return work()
    }
    // How the one before ended is its own caller's affair.
    return before.then(begin, begin)
  }
}
