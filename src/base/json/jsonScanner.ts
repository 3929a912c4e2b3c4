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
} from './jsonCodes.ts'

/** Thrown for a value that is nested deeper than it may be. */
export class DepthError extends Error {
  constructor(maxDepth: number) {
    super(`JSON that is nested deeper than ${maxDepth} levels`)
  }
}

/**
 * Reads the text of a JSON value from left to right, to find what parsing throws away (the text of a value, members that are
 * there twice, depth), or to copy parts of it without making values of the rest. This one trusts the text: `JSON.parse` has
 * accepted it. It reads each character at most once and searches for the end of strings, so it costs a fraction of the parse.
 */
export class JsonScanner {
  readonly text: string
  protected readonly maxDepth: number
  /** Where the next value begins. */
  at = 0
  #keyStart = 0
  #keyEnd = 0

  constructor(text: string, maxDepth = Number.POSITIVE_INFINITY) {
    this.text = text
    this.maxDepth = maxDepth
  }

  /** Where the key that was read last begins, with its quote. */
  get keyStart(): number {
    return this.#keyStart - 1
  }

  /** The key that was read last. */
  get key(): string {
    const name = this.text.slice(this.#keyStart, this.#keyEnd)
    return name.includes('\\') ? JSON.parse(`"${name}"`) : name
  }

  /** Returns whether the key that was read last is written like this. */
  keyIs(name: string): boolean {
    return this.#keyEnd - this.#keyStart === name.length && this.text.startsWith(name, this.#keyStart)
  }

  /** Enters an object or a list that begins here. Returns whether it has anything. */
  enter(open: typeof openBrace | typeof openBracket): boolean {
    this.expect(open)
    this.skipSpace()
    // The codes of the brackets that close are two above those that open.
    if (this.text.charCodeAt(this.at) !== open + 2) return true
    this.at++
    return false
  }

  /** Goes on to the next member or element. Returns whether there is one. */
  next(close: typeof closeBrace | typeof closeBracket): boolean {
    this.skipSpace()
    if (this.text.charCodeAt(this.at) !== comma) {
      this.expect(close)
      return false
    }
    this.at++
    this.skipSpace()
    return true
  }

  /** Reads the key of a member; its value is next. */
  readKey(): void {
    this.#keyStart = this.at + 1
    this.skipString()
    this.#keyEnd = this.at - 1
    this.skipSpace()
    this.expect(colon)
    this.skipSpace()
  }

  /** Skips a value of any kind; `depth` is the number of objects and lists around it. */
  skipValue(depth = 0): void {
    const { text } = this
    let open = depth
    do {
      const code = text.charCodeAt(this.at)
      if (code === quote) {
        this.skipString()
        continue
      }
      if (code === openBrace || code === openBracket) {
        if (++open > this.maxDepth) throw new DepthError(this.maxDepth)
      } else if (code === closeBrace || code === closeBracket) open--
      else if (open === depth) return this.skipScalar()
      this.at++
    } while (open > depth)
  }

  skipSpace(): void {
    // JSON's white space is space, tab, line feed and carriage return: nothing else is at or below 0x20 in valid text.
    const { text } = this
    let at = this.at
    while (text.charCodeAt(at) <= space) at++
    this.at = at
  }

  protected skipString(): void {
    this.at = endOfString(this.text, this.at)
  }

  /** Skips a number or a literal: everything up to the next separator. */
  protected skipScalar(): void {
    const { text } = this
    let at = this.at
    let code = text.charCodeAt(at)
    while (code > space && code !== comma && code !== closeBrace && code !== closeBracket)
      code = text.charCodeAt(++at)
    this.at = at
  }

  protected expect(_code: number): void {
    this.at++
  }
}

/** Returns the index after the string that begins at an index; the length of the text if it does not end. */
export const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return text.length
}

/** Strings are looked through letter by letter up to this length; the end of a longer one is searched for. */
const shortString = 96

const scalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const escapeSequence = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y

/** Twice as deep as traces are: the EVM nests 1,024 calls, each of which is an object in a list. */
const maxStrictDepth = 4_096

/** Reads text that nobody has parsed: anything but JSON without blanks between its values is a SyntaxError. */
export class StrictJsonScanner extends JsonScanner {
  /** The first backslash from somewhere before `at` on; -1 if it was not searched for. */
  #nextBackslash = -1

  constructor(text: string) {
    super(text, maxStrictDepth)
  }

  /** Ends: there must be nothing more. */
  finish(): void {
    if (this.at !== this.text.length) throw this.#error()
  }

  override skipValue(depth = 0): void {
    const code = this.text.charCodeAt(this.at)
    if (code === quote) return this.skipString()
    if (code !== openBrace && code !== openBracket) return this.skipScalar()
    if (depth >= this.maxDepth) throw new DepthError(this.maxDepth)
    if (!this.enter(code)) return
    if (code === openBracket)
      do this.skipValue(depth + 1)
      while (this.next(closeBracket))
    else
      do {
        this.readKey()
        this.skipValue(depth + 1)
      } while (this.next(closeBrace))
  }

  override skipSpace(): void {}

  protected override skipString(): void {
    this.expect(quote)
    const { text } = this
    let at = this.at
    let far = at + shortString
    for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
      if (code === backslash) at += this.#escapeLength(at)
      else if (code >= space) at++
      else throw this.#error()
      if (at < far) continue
      at = this.#longStringEnd(at)
      far = Number.POSITIVE_INFINITY
    }
    this.at = at + 1
  }

  protected override skipScalar(): void {
    const start = this.at
    super.skipScalar()
    if (!scalar.test(this.text.slice(start, this.at))) throw this.#error()
  }

  protected override expect(code: number): void {
    if (this.text.charCodeAt(this.at) !== code) throw this.#error()
    this.at++
  }

  /** Returns the end of a string without escapes; otherwise where it is. */
  #longStringEnd(at: number): number {
    const end = this.text.indexOf('"', at)
    if (end < 0) throw this.#error()
    if (this.#nextBackslash < at) {
      const found = this.text.indexOf('\\', at)
      this.#nextBackslash = found < 0 ? Number.POSITIVE_INFINITY : found
    }
    return this.#nextBackslash < end ? at : end
  }

  #escapeLength(at: number): number {
    escapeSequence.lastIndex = at
    const [found] = escapeSequence.exec(this.text) ?? []
    if (found === undefined) throw this.#error()
    return found.length
  }

  #error(): SyntaxError {
    return new SyntaxError(`invalid JSON at ${this.at} of ${this.text.length}`)
  }
}
