export interface TransactionRead {
  readonly texts: readonly Uint8Array[]
  /** The number at which the next read starts. */
  readonly next: number
  /** The number of requested transactions that are not kept any more. */
  readonly missed: number
}

/** The newest transactions as JSON, numbered in the order of their arrival, in a limited memory. All readers share it. */
export class TransactionRing {
  /** The number that the next transaction gets. */
  next = 0
  readonly #maxBytes: number
  readonly #texts = new Map<number, Uint8Array>()
  /** The number of the first transaction that is kept. */
  #first = 0
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(text: Uint8Array): void {
    this.#texts.set(this.next++, text)
    this.#bytes += text.length
    for (; this.#bytes > this.#maxBytes && this.#first < this.next - 1; this.#first++) {
      this.#bytes -= this.#texts.get(this.#first)?.length ?? 0
      this.#texts.delete(this.#first)
    }
  }

  /** Reads transactions from a number on, as many as fit; at least one, so that a reader makes progress. */
  read(from: number, maxCount: number, maxBytes: number): TransactionRead {
    const start = Math.max(from, this.#first)
    const texts: Uint8Array[] = []
    let bytes = 0
    let next = start
    for (; next < this.next && texts.length < maxCount; next++) {
      const text = this.#texts.get(next)
      if (text === undefined || (texts.length > 0 && bytes + text.length > maxBytes)) break
      texts.push(text)
      bytes += text.length + 1
    }
    return { texts, next, missed: start - from }
  }

  /** Removes all transactions, when there are no readers. The numbers continue. */
  clear(): void {
    this.#texts.clear()
    this.#bytes = 0
    this.#first = this.next
  }
}
