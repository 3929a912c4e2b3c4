/** How long a lead may stay where it is while another node is further. Blocks of most chains come more often than that. */
const maxStandstillMs = 10_000
/** How far, and for how long, a lead may be behind another node though it moves. */
const maxLag = 64
const maxLagMs = 60_000

/**
 * Watches whether the node that is followed keeps up with the others. Where nobody is further it is the chain that stands,
 * and the node is not left for it.
 */
export class LateLead {
  /** The height that the lead stays at, and since when another node is known to be further. */
  #standing: { readonly height: number; readonly since: number } | undefined
  #laggingSince: number | undefined

  /** Returns whether the lead is left. `highest` is what other nodes say; what one of them makes up costs the lead its place once a minute at most. */
  isLeft(latest: number, highest: number, now: number): boolean {
    if (highest <= latest) this.#standing = undefined
    else if (this.#standing?.height !== latest) this.#standing = { height: latest, since: now }
    this.#laggingSince = highest - latest > maxLag ? (this.#laggingSince ?? now) : undefined
    return (
      (this.#standing !== undefined && now - this.#standing.since >= maxStandstillMs) ||
      (this.#laggingSince !== undefined && now - this.#laggingSince >= maxLagMs)
    )
  }
}
