import { KeystoreError } from './keystoreError.ts'

/** Runs one piece of work at a time; so many may wait, and more are refused. */
export class Lane {
  readonly #maxWaiting: number
  #last: Promise<unknown> = Promise.resolve()
  #held = 0

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#held > this.#maxWaiting)
      throw new KeystoreError('limit exceeded', 'too many keys are being opened at once: try again soon')
    this.#held++
    // How the one before ended is its own caller's affair.
    const mine = this.#last.then(work, work)
    this.#last = mine
    try {
      return await mine
    } finally {
      this.#held--
    }
  }
}
