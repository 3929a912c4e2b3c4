import { TraceError } from './tracer.ts'

/** Counts the memory that a tracer holds until its end, and throws when it exceeds the limit. */
export class HeldMemory {
  readonly #limit: number
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#limit)
      throw new TraceError(`the trace is too large: it takes more than ${this.#limit} bytes of memory`)
  }

  /** Gives back what is not held any more. */
  free(bytes: number): void {
    this.#bytes -= bytes
  }
}
