/** The maximum number of keys; further ones are counted together. */
const maxKeys = 1000
const others = '(others)'

interface DurationTotals {
  count: number
  milliseconds: number
  longest: number
}

/** Sums of durations by key. */
export class DurationStats {
  readonly #totals = new Map<string, DurationTotals>()

  add(key: string, milliseconds: number): void {
    const countedKey = this.#totals.has(key) || this.#totals.size < maxKeys ? key : others
    const totals = this.#totals.get(countedKey) ?? { count: 0, milliseconds: 0, longest: 0 }
    totals.count++
    totals.milliseconds += milliseconds
    totals.longest = Math.max(totals.longest, milliseconds)
    this.#totals.set(countedKey, totals)
  }

  /** Returns the totals by key, the longest first. */
  rows(): readonly (Readonly<DurationTotals> & { readonly key: string })[] {
    return [...this.#totals]
      .map(([key, totals]) => ({ key, ...totals }))
      .sort((a, b) => b.milliseconds - a.milliseconds)
  }
}
