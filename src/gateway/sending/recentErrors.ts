/** Why each of the last transactions was refused. A node asked again within seconds says no more than that it saw it. */
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

  /** Undefined where nothing was said within the last milliseconds. */
  within(id: string, milliseconds: number): string | undefined {
    const error = this.#errors.get(id)
    return error !== undefined && this.#now() - error.at <= milliseconds ? error.message : undefined
  }
}
