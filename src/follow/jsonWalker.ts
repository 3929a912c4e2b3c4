import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  space,
} from '../base/json/jsonCodes.ts'

/** Strings are looked through byte by byte up to this length; the end of a longer one is searched for. */
const shortText = 96

const scalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const escapeSequence = /^\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/

/**
 * Walks through JSON that has no blanks between its values, in the bytes in which it came, so that what is wanted of it can
 * be copied without making values of the rest. Text that is anything else is a SyntaxError.
 */
export class JsonWalker {
  readonly bytes: Buffer
  /** Where the next value begins. */
  at = 0
  #keyStart = 0
  #keyEnd = 0
  /** The first backslash from somewhere before `at` on; -1 if it was not searched for. */
  #nextBackslash = -1

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Where the key begins, with its quote, that was read last. */
  get keyStart(): number {
    return this.#keyStart - 1
  }

  /** Enters an object or a list. Returns whether it has anything. */
  enter(open: typeof openBrace | typeof openBracket): boolean {
    this.#expect(open)
    // The codes of the brackets that close are two above those that open.
    if (this.bytes[this.at] !== open + 2) return true
    this.at++
    return false
  }

  /** Goes on to the next member or element. Returns whether there is one. */
  next(close: typeof closeBrace | typeof closeBracket): boolean {
    const byte = this.bytes[this.at]
    if (byte !== comma && byte !== close) throw this.#error()
    this.at++
    return byte === comma
  }

  /** Reads the key of a member; its value is next. */
  key(): void {
    this.#keyStart = this.at + 1
    this.skipText()
    this.#keyEnd = this.at - 1
    this.#expect(colon)
  }

  /** Returns whether the key that was read last has this name. */
  keyIs(name: Uint8Array): boolean {
    const { bytes } = this
    const start = this.#keyStart
    if (this.#keyEnd - start !== name.length) return false
    for (let index = 0; index < name.length; index++) if (bytes[start + index] !== name[index]) return false
    return true
  }

  /** Ends: there must be nothing more. */
  finish(): void {
    if (this.at !== this.bytes.length) throw this.#error()
  }

  skipValue(): void {
    switch (this.bytes[this.at]) {
      case quote:
        return this.skipText()
      case openBrace:
        if (this.enter(openBrace))
          do {
            this.key()
            this.skipValue()
          } while (this.next(closeBrace))
        return
      case openBracket:
        if (this.enter(openBracket))
          do this.skipValue()
          while (this.next(closeBracket))
        return
      default:
        this.#skipScalar()
    }
  }

  skipText(): void {
    this.#expect(quote)
    const { bytes } = this
    let at = this.at
    let far = at + shortText
    for (let byte = bytes[at] ?? 0; byte !== quote; byte = bytes[at] ?? 0) {
      if (byte === backslash) at += this.#escapeLength(at)
      else if (byte < space) throw this.#error()
      else at++
      if (at < far) continue
      at = this.#longTextEnd(at)
      far = Number.POSITIVE_INFINITY
    }
    this.at = at + 1
  }

  /** Returns the end of a text without escapes; otherwise where it is. */
  #longTextEnd(at: number): number {
    const end = this.bytes.indexOf(quote, at)
    if (end < 0) throw this.#error()
    if (this.#nextBackslash < at) {
      const found = this.bytes.indexOf(backslash, at)
      this.#nextBackslash = found < 0 ? Number.POSITIVE_INFINITY : found
    }
    return this.#nextBackslash < end ? at : end
  }

  #escapeLength(at: number): number {
    const [found] = escapeSequence.exec(this.bytes.toString('latin1', at, at + 6)) ?? []
    if (found === undefined) throw this.#error()
    return found.length
  }

  #skipScalar(): void {
    const { bytes } = this
    const start = this.at
    let end = start
    for (let byte = bytes[end]; byte !== undefined && byte !== comma; byte = bytes[++end])
      if (byte === closeBrace || byte === closeBracket) break
    if (!scalar.test(bytes.toString('latin1', start, end))) throw this.#error()
    this.at = end
  }

  #expect(code: number): void {
    if (this.bytes[this.at] !== code) throw this.#error()
    this.at++
  }

  #error(): SyntaxError {
    return new SyntaxError(
      `the node sends something else than was expected (at ${this.at} of ${this.bytes.length})`,
    )
  }
}
