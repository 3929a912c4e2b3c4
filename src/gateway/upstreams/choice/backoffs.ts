const firstMs = 1_000
const maxMs = 30_000

/**
 * How long upstreams that failed rest while others are preferred: each failure without success between doubles it. So
 * one that lost its line for a moment is soon back, and one that fails whenever it is used is rarely tried.
 */
export class Backoffs {
  readonly #rests = new Map<string, { readonly until: number; readonly lengthMs: number }>()

  /** Returns the time until which an upstream rests; 0 if it does not. */
  until(name: string): number {
    return this.#rests.get(name)?.until ?? 0
  }

  onFailure(name: string, now: number): void {
    const lengthMs = Math.min(maxMs, 2 * (this.#rests.get(name)?.lengthMs ?? firstMs / 2))
    this.#rests.set(name, { until: now + lengthMs, lengthMs })
  }

  onSuccess(name: string): void {
    this.#rests.delete(name)
  }
}
