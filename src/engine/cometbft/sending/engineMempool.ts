/** The heads after which a transaction that the engine did not check again counts as one that it does not hold. */
const patience = 3

/**
 * The ids of the transactions of the pool that the engine holds, as far as it tells. Its response to a transaction is that of
 * the check: it may find its mempool full after that, and drop what it has just answered for. It checks all that it holds
 * again after each block, unless it is configured not to; then nobody learns of it.
 */
export class EngineMempool {
  /** The number of heads when each was checked last. */
  readonly #checkedAt = new Map<string, number>()
  #heads = 0
  #checksAgain = false

  has(id: string): boolean {
    return this.#checkedAt.has(id)
  }

  add(id: string): void {
    this.#checkedAt.set(id, this.#heads)
  }

  delete(id: string): boolean {
    return this.#checkedAt.delete(id)
  }

  /** Called when the engine checks again what it holds. */
  onRecheck(id: string): void {
    this.#checksAgain = true
    if (this.has(id)) this.add(id)
  }

  /** Called at each head. Removes those that the engine does not seem to hold, and returns their ids. */
  onHead(): ReadonlySet<string> {
    const lost = new Set<string>()
    this.#heads++
    // They are many: not at each head.
    if (!this.#checksAgain || this.#heads % patience !== 0) return lost
    for (const [id, at] of this.#checkedAt) if (this.#heads - at > patience) lost.add(id)
    for (const id of lost) this.#checkedAt.delete(id)
    return lost
  }

  /** Called when an engine has started, whose mempool is empty. */
  clear(): void {
    this.#checkedAt.clear()
    this.#checksAgain = false
  }
}
