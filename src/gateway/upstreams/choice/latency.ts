/** An exponentially weighted mean of call times. */
export class Latency {
  #milliseconds: number | undefined

  get milliseconds(): number | undefined {
    return this.#milliseconds
  }

  add(milliseconds: number): void {
    this.#milliseconds =
      this.#milliseconds === undefined ? milliseconds : 0.9 * this.#milliseconds + 0.1 * milliseconds
  }
}
