/** The most jumps of a frame that are kept as they are. */
const maxJumps = 32_768
/** The most that are kept after shortening: more functions than this cannot have called one another on a stack of 1024. */
const maxShortened = 4096
/** How far back a jump is looked for when the list is shortened. */
const lookBack = 512

/** The jumps of a frame that may still say which functions it is in. A long list is shortened to those. */
export class FailureJumps {
  /** Three numbers a jump: where it began, where it led, and the height of the stack. */
  #numbers = new Int32Array(96)
  #length = 0

  /** How many numbers `list` has. */
  get size(): number {
    return (this.#length / 3) * 2
  }

  /** Adds a jump. Returns true if the list was shortened. */
  add(from: number, to: number, height: number): boolean {
    if (this.#length === this.#numbers.length) {
      const larger = new Int32Array(2 * this.#length)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length] = from
    this.#numbers[this.#length + 1] = to
    this.#numbers[this.#length + 2] = height
    this.#length += 3
    if (this.#length < 3 * maxJumps) return false
    this.#shorten()
    return true
  }

  list(): number[] {
    const list: number[] = []
    for (let at = 0; at < this.#length; at += 3)
      list.push(this.#numbers[at] as number, this.#numbers[at + 1] as number)
    return list
  }

  /**
   * Leaves out what is over: a function that was left to the instruction after its call, and the earlier rounds of a loop,
   * which jump from the same place at the same height.
   */
  #shorten(): void {
    const numbers = this.#numbers
    let end = 0
    for (let at = 0; at < this.#length; at += 3) {
      const from = numbers[at] as number
      const to = numbers[at + 1] as number
      const height = numbers[at + 2] as number
      const last = Math.max(0, end - 3 * lookBack)
      let known = end - 3
      const isReturn = (): boolean => numbers[known] === to - 1
      const isSame = (): boolean =>
        numbers[known] === from && numbers[known + 1] === to && numbers[known + 2] === height
      while (known >= last && !isReturn() && !isSame()) known -= 3
      if (known >= last) end = known
      if (known >= last && isReturn()) continue
      numbers[end] = from
      numbers[end + 1] = to
      numbers[end + 2] = height
      end += 3
    }
    const cut = Math.max(0, end - 3 * maxShortened)
    numbers.copyWithin(0, cut, end)
    this.#length = end - cut
  }
}
