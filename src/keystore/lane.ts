import { noWaits, type WaitRecorder } from '../base/profiling/lockWaits.ts'
import { limitExceeded } from './keystoreError.ts'

/** Runs one piece of work at a time; so many may wait, and more are refused. */
export class Lane {
  readonly #maxWaiting: number
  readonly #waits: WaitRecorder
  #last: Promise<unknown> = Promise.resolve()
  #held = 0

  constructor(maxWaiting: number, waits: WaitRecorder = noWaits) {
    this.#maxWaiting = maxWaiting
    this.#waits = waits
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#held > this.#maxWaiting)
      throw limitExceeded('too many keys are being opened at once: try again soon')
    const endWait = this.#held > 0 ? this.#waits.begin('turn to derive a key') : undefined
    this.#held++
    const begin = (): Promise<T> => {
      endWait?.()
      return work()
    }
    // How the one before ended is its own caller's affair.
    const mine = this.#last.then(begin, begin)
    this.#last = mine
    try {
      return await mine
    } finally {
      this.#held--
    }
  }
}
