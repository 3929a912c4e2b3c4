/**
 * The rejection reasons of the last transactions. They are kept because a node that gets the same bytes again within
 * seconds only reports that it saw them.
 */
export class RecentErrors {
  readonly #errors = new Map<string, { readonly message: string; readonly at: number }>()
  readonly #limit: number
  readonly #now: () => number

  constructor(limit: number, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  remember(id: string, message: string): void {
    this.#errors.delete(id)
    this.#errors.set(id, { message, at: this.#now() })
    if (this.#errors.size <= this.#limit) return
    const [oldest] = this.#errors.keys()
    if (oldest !== undefined) this.#errors.delete(oldest)
  }

  forget(id: string): void {
    this.#errors.delete(id)
  }

  /** Returns the reason if it is not older than `milliseconds`; undefined otherwise. */
  within(id: string, milliseconds: number): string | undefined {
    const error = this.#errors.get(id)
    return error !== undefined && this.#now() - error.at <= milliseconds ? error.message : undefined
  }
}
