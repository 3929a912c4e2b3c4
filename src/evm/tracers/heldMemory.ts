import { TraceError } from './tracer.ts'

/** Counts what a tracer remembers until its end, which has to fit into memory. */
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
}
