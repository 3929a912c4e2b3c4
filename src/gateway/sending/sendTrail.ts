/**
 * The nodes that a transaction was sent to. Each time it is sent again another one is asked first, because a node may
 * hang, or take a transaction and lose it. Those that rejected it come after those that did not.
 */
export class SendTrail {
  #asked: readonly string[] = []
  #refusedBy: readonly string[] = []
  #disputedBy: readonly string[] = []
  #mayBeAnywhere = false

  /** The nodes that were asked, the last one at the end. */
  get asked(): readonly string[] {
    return this.#asked
  }

  get refusedBy(): readonly string[] {
    return this.#refusedBy
  }

  /** Whether the node that was asked last is known and has not rejected it. */
  get isAtOtherNode(): boolean {
    const last = this.#asked.at(-1)
    return last !== undefined && !this.#refusedBy.includes(last)
  }

  /** Whether a node may have it that does not say so. */
  get mayBeAnywhere(): boolean {
    return this.#mayBeAnywhere
  }

  onUnknown(): void {
    this.#mayBeAnywhere = true
  }

  onAsk(node: string): void {
    this.#asked = [...this.#asked.filter((other) => other !== node), node]
  }

  /** Records that the node that was asked last rejects it. */
  onRefused(): void {
    if (this.isAtOtherNode) this.#refusedBy = [...this.#refusedBy, ...this.#asked.slice(-1)]
  }

  /** The nodes that rejected it since others are asked for that. */
  get disputedBy(): readonly string[] {
    return this.#disputedBy
  }

  /**
   * Records that the node that was asked last rejects it, and that others are to be asked. Returns how many have rejected it
   * since; infinitely many if that node is not known, or has rejected it before.
   */
  dispute(): number {
    if (!this.isAtOtherNode) return Number.POSITIVE_INFINITY
    this.onRefused()
    this.#disputedBy = [...this.#disputedBy, ...this.#asked.slice(-1)]
    return this.#disputedBy.length
  }

  endDispute(): void {
    this.#disputedBy = []
  }

  /** Records that the node that was asked last took it. */
  onTaken(): void {
    this.#refusedBy = this.#refusedBy.filter((node) => node !== this.#asked.at(-1))
  }
}
