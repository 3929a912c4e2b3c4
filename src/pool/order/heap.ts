/** A binary heap: `pop` returns the item that comes before all others. */
export class Heap<T> {
  readonly #before: (a: T, b: T) => boolean
  readonly #items: T[]

  /** Creates a heap of `items`, which are reordered in place. */
  constructor(before: (a: T, b: T) => boolean, items: T[] = []) {
    this.#before = before
    this.#items = items
    for (let index = (items.length >> 1) - 1; index >= 0; index--) this.#sink(index)
  }

  get size(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    this.#items.push(item)
    this.#rise(this.#items.length - 1)
  }

  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (items.length > 0 && last !== undefined) {
      items[0] = last
      this.#sink(0)
    }
    return first
  }

  /** Replaces the top item, as pop and push in one pass. */
  replaceTop(item: T): void {
    this.#items[0] = item
    this.#sink(0)
  }

  #rise(from: number): void {
    const items = this.#items
    const item = items[from] as T
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(item, items[parent] as T)) break
      items[at] = items[parent] as T
      at = parent
    }
    items[at] = item
  }

  #sink(from: number): void {
    const items = this.#items
    const item = items[from] as T
    const half = items.length >> 1
    let at = from
    while (at < half) {
      let child = at * 2 + 1
      if (child + 1 < items.length && this.#before(items[child + 1] as T, items[child] as T)) child++
      if (!this.#before(items[child] as T, item)) break
      items[at] = items[child] as T
      at = child
    }
    items[at] = item
  }
}
