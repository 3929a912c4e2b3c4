interface Pause {
  readonly heads: number
  readonly dueAt: number
}

/** Pauses that are counted in heads of the chain: for each id twice as long each time, up to the longest. */
export class HeadPauses {
  readonly #first: number
  readonly #longest: number
  readonly #pauses = new Map<string, Pause>()
  #heads = 0

  constructor(first: number, longest: number) {
    this.#first = first
    this.#longest = longest
  }

  onHead(): void {
    this.#heads++
  }

  has(id: string): boolean {
    return this.#pauses.has(id)
  }

  ids(): Iterable<string> {
    return this.#pauses.keys()
  }

  /** Returns whether the pause of an id is over, or it has none. */
  isDue(id: string): boolean {
    const pause = this.#pauses.get(id)
    return pause === undefined || pause.dueAt <= this.#heads
  }

  /** Begins the first pause of an id, or its next one. */
  begin(id: string): void {
    const before = this.#pauses.get(id)
    const heads = before === undefined ? this.#first : Math.min(this.#longest, 2 * before.heads)
    this.#pauses.set(id, { heads, dueAt: this.#heads + heads })
  }

  delete(id: string): void {
    this.#pauses.delete(id)
  }

  clear(): void {
    this.#pauses.clear()
  }
}
