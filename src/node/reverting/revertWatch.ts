/** Tells those who asked about a block on another thread whether it may be gone because blocks were removed. */
export interface Reverts {
  /** A number that grows when the removal of blocks begins, and when it ends. */
  readonly count: number
  /** Resolves when none are being removed, with whether some were since there was this count, or while there was. */
  hasPassed(count: number): Promise<boolean>
}

/** Counts the times that blocks are removed. */
export class RevertWatch implements Reverts {
  count = 0
  #running: Promise<unknown> = Promise.resolve()

  /** Runs what removes blocks and moves the head; one comes after the other. */
  async watch<T>(revert: () => Promise<T>): Promise<T> {
    this.count++
    const running = revert().finally(() => {
      this.count++
    })
    this.#running = running.catch(() => {})
    return running
  }

  async hasPassed(count: number): Promise<boolean> {
    await this.#running
    return this.count !== count
  }
}
