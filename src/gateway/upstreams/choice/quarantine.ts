const firstMs = 60_000
const maxMs = 3_600_000
/** The number of healthy probes that end a first quarantine. */
const firstProbes = 3

/** Whether a node is trusted. A node that contradicted itself gets no requests for a while, for longer each time. */
export class Quarantine {
  #current: { readonly until: number; readonly reason: string; readonly isLie: boolean } | undefined
  /** The number of all quarantines, and of those without an hour of health between them. */
  #count = 0
  #relapses = 0
  #healthyProbes = 0

  /** The number of quarantines so far. */
  get count(): number {
    return this.#count
  }

  /** Returns why the node is not trusted; undefined if it is. */
  reason(now: number): string | undefined {
    return this.#current && now < this.#current.until ? this.#current.reason : undefined
  }

  /** Returns whether the node is not trusted because of a proven lie. */
  isForLie(now: number): boolean {
    return this.reason(now) !== undefined && this.#current?.isLie === true
  }

  /**
   * Begins a quarantine. One for a proven lie lasts its time: a liar can look healthy. Returns its duration; undefined if
   * the node is in one already, because many calls in flight often end with the same error. A suspicion that becomes a
   * proven lie starts over, which is not a relapse.
   */
  begin(reason: string, now: number, isLie = false): number | undefined {
    const isActive = this.reason(now) !== undefined
    if (isActive && (!isLie || this.isForLie(now))) return undefined
    if (!isActive) {
      const isFirst = this.#current === undefined || now - this.#current.until > maxMs
      this.#relapses = isFirst ? 0 : this.#relapses + 1
      this.#count++
    }
    const milliseconds = Math.min(maxMs, firstMs * 2 ** Math.min(this.#relapses, 10))
    this.#healthyProbes = 0
    this.#current = { until: now + milliseconds, reason, isLie }
    return milliseconds
  }

  /** Records a check of the node. After several healthy ones in a row, more after each relapse, it ends. Returns whether it did. */
  onProbe(isHealthy: boolean, now: number): boolean {
    if (!isHealthy) {
      this.#healthyProbes = 0
      return false
    }
    if (this.#current?.isLie) return false
    if (++this.#healthyProbes < firstProbes * 2 ** Math.min(this.#relapses, 6)) return false
    if (this.#current !== undefined) this.#current = { ...this.#current, until: now }
    return true
  }
}
