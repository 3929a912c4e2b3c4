/** More different keys than this are counted together. */
const maxKeys = 1000
const others = '(others)'

interface DurationTotals {
  count: number
  milliseconds: number
  longest: number
}

/** Times added up by what they are about. */
export class DurationStats {
  readonly #figures = new Map<string, DurationTotals>()

  add(key: string, milliseconds: number): void {
    const known = this.#figures.has(key) || this.#figures.size < maxKeys ? key : others
    const figures = this.#figures.get(known) ?? { count: 0, milliseconds: 0, longest: 0 }
    figures.count++
    figures.milliseconds += milliseconds
    figures.longest = Math.max(figures.longest, milliseconds)
    this.#figures.set(known, figures)
  }

  /** The longest times first. */
  rows(): readonly (Readonly<DurationTotals> & { readonly key: string })[] {
    return [...this.#figures]
      .map(([key, figures]) => ({ key, ...figures }))
      .sort((a, b) => b.milliseconds - a.milliseconds)
  }
}
