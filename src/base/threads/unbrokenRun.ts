/** Tells whether code has run without a break since the last time it was asked, so that nothing else can have run between. */
export class UnbrokenRun {
  #goesOn = true

  constructor() {
    queueMicrotask(this.#end)
  }

  /** Returns whether it goes on. After a break the next run begins. */
  goesOn(): boolean {
    if (this.#goesOn) return true
    this.#goesOn = true
    queueMicrotask(this.#end)
    return false
  }

  // Whoever goes on after a break was put in the queue behind it.
  readonly #end = (): void => {
    this.#goesOn = false
  }
}
