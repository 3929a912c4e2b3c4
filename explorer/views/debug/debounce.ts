/** Runs with the last value only, once none has come for a while. */
export class Debounce<T> {
  readonly #run: (value: T) => void
  readonly #ms: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(run: (value: T) => void, ms: number) {
    this.#run = run
    this.#ms = ms
  }

  push(value: T): void {
    this.cancel()
    this.#timer = setTimeout(() => this.#run(value), this.#ms)
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }
}
