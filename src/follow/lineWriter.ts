const firstBytes = 16_384

/** Collects lines of some blocks in one buffer, and where those of each block end. */
export class LineWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(firstBytes)
  #length = 0
  readonly #ends: number[] = []

  /** All lines; valid until the next one is written. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Ends the lines of a block. */
  endBlock(): void {
    this.#ends.push(this.#length)
  }

  /** Returns the lines of one of the blocks, by its index. */
  ofBlock(index: number): Buffer {
    return this.#bytes.subarray(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index])
  }

  /** Adds text that is ASCII. */
  ascii(text: string): void {
    this.#reserve(text.length)
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  copy(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start)
    source.copy(this.#bytes, this.#length, start, end)
    this.#length += end - start
  }

  #reserve(length: number): void {
    const needed = this.#length + length
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
