let turns = 0
let isCounting = false

/** Returns the number of the turn of the event loop, which is the same for all that comes in by one poll. */
const currentTurn = (): number => {
  if (isCounting) return turns
  isCounting = true
  setImmediate(() => {
    isCounting = false
    turns++
  })
  return turns
}

/** How much one client may have done in one turn of the event loop. One read of the kernel may bring thousands of requests. */
export class TurnShare {
  readonly #most: number
  #turn = -1
  #done = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Counts one piece of work. Returns whether it was the last one for this turn. */
  countLast(): boolean {
    const turn = currentTurn()
    if (turn !== this.#turn) {
      this.#turn = turn
      this.#done = 0
    }
    return ++this.#done >= this.#most
  }
}
