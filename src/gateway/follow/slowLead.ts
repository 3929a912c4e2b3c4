/** How long a lead may give nothing while another node has the next block. */
const defaultPatienceMs = 60_000
/** The same of a block for which others were left before: longer than the largest results may take. */
const maxPatienceMs = 20 * 60_000
/** How far a lead may be behind another node before it counts how fast it gives blocks. */
const maxLag = 64

interface Look {
  readonly taken: number
  readonly highest: number
  readonly at: number
}

/**
 * Watches whether the node that is followed gives blocks, whatever height it tells. What was taken since the last look
 * counts, and not how much is missing: a long backfill goes on. A node that gives some is slow if the chain grows more
 * than twice as fast. There are blocks that take any node long: each that is left for one gives the next node twice the
 * time for it.
 */
export class SlowLead {
  readonly #patienceMs: number
  #last: Look | undefined
  /** The block after which nothing came of the node that was left last, and the time for the next one. */
  #stuck: { readonly taken: number; readonly patienceMs: number } | undefined

  constructor(patienceMs = defaultPatienceMs) {
    this.#patienceMs = patienceMs
  }

  /** How often to look. */
  get everyMs(): number {
    return Math.min(5_000, this.#patienceMs / 4)
  }

  /** Begins with another lead. */
  begin(): void {
    this.#last = undefined
  }

  /** Returns whether the lead is left. `taken` is the newest block that it gave, `highest` what other nodes say. */
  isLeft(taken: number, highest: number, now: number): boolean {
    if (highest <= taken) this.#last = undefined
    else this.#last ??= { taken, highest, at: now }
    const last = this.#last
    const patienceMs = this.#stuck?.taken === taken ? this.#stuck.patienceMs : this.#patienceMs
    if (last === undefined || now - last.at < patienceMs) return false
    this.#last = { taken, highest, at: now }
    const given = taken - last.taken
    if (given === 0) this.#stuck = { taken, patienceMs: Math.min(2 * patienceMs, maxPatienceMs) }
    // What others make up of their heights costs no lead its place that gives a block every two seconds.
    const grown = Math.min(highest - last.highest, maxLag)
    return given === 0 || (highest - taken > maxLag && 2 * given < grown)
  }
}
