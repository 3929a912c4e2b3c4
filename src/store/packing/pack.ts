import { area, packing, reserve, slack } from './module.ts'

/**
 * Text in a third of its size: JSON whose values are mostly hex after `0x`, with the same text between them again and
 * again. A packed text is a list of tokens, which are expanded one after the other:
 *
 *   0x00 – 0x5f   a text of `fragments`
 *   0x60 – 0xc3   `0x` and 1 to 100 digits, which follow as bytes; of an odd number the first byte has one digit
 *   0xc4 n        `0x` and n digits, which follow as bytes
 *   0xc5 at n     `0x` and n digits, which stand as bytes at `at` of the body
 *   0xc6 n        `0x` and n zeros
 *   0xc7 n        n characters, which follow as they are
 *
 * Numbers (n, at) have 7 bits in each byte, the lowest first, and the highest bit in all but the last. A text of a body is
 * expanded alone: `at` may lead to texts before it, which need not be expanded for that. It is done in WebAssembly, at about
 * the speed of a copy.
 */
export class TextPacker {
  readonly #textAt: number

  /**
   * Begins a body, which ends the one before. No text is longer than `longest`, all together have at most `total` characters,
   * and are `count` at most.
   */
  constructor(longest: number, total: number, count: number) {
    // Digits take half of their text; an unknown fragment takes two numbers more than its text.
    this.#textAt = area + 2 * total + 16 * count + slack
    reserve(this.#textAt - area + longest + slack)
    packing.begin(area)
  }

  /** The length of the body so far. */
  get length(): number {
    return packing.length()
  }

  /** Adds a text. It is ASCII. */
  add(text: string): void {
    if (text === '') return
    packing.add(this.#textAt, reserve(0).write(text, this.#textAt, 'latin1'))
  }

  /** Adds a text as it is, and returns where it begins in the body. */
  addLiteral(text: string): number {
    return packing.addLiteral(this.#textAt, reserve(0).write(text, this.#textAt, 'latin1'))
  }

  addNumber(value: number): void {
    packing.addNumber(value)
  }

  /** Copies the body. */
  copyTo(target: Buffer, at: number): void {
    reserve(0).copy(target, at, area, area + packing.length())
  }
}
