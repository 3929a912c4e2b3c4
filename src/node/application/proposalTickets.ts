import { equalBytes } from '../../base/encoding/bytes.ts'

/**
 * Tells the application thread which proposal may still be decided, in memory that both threads share: a message would wait
 * until the execution that it is to end has ended.
 */
export class ProposalTickets {
  readonly #wanted: Int32Array
  #ticket = 0
  #hash: Uint8Array | undefined

  constructor(wanted: Int32Array) {
    this.#wanted = wanted
  }

  /** Makes this proposal the only one that is worth executing, and returns its ticket. */
  want(hash: Uint8Array): number {
    if (this.#hash === undefined || !equalBytes(this.#hash, hash)) this.#issue()
    this.#hash = hash
    return this.#ticket
  }

  /** Ends the execution of any proposal. */
  wantNone(): void {
    this.#issue()
    this.#hash = undefined
  }

  #issue(): void {
    // It may wrap around, like the memory in which it is compared.
    this.#ticket = (this.#ticket + 1) | 0
    Atomics.store(this.#wanted, 0, this.#ticket)
  }
}
