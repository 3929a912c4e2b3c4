import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  openBrace,
  openBracket,
  quote,
} from '../../base/json/jsonCodes.ts'
/**
 * Walks the text of a JSON value that `JSON.parse` has accepted already, to find what parsing throws away: the exact
 * text of the ids, duplicate member names, and nesting depth. It reads each character at most once and skips strings
 * by searching for their end, so it costs a fraction of the parse.
 */

export const maxDepth = 64

/** What the text of one request object shows and its parsed value does not. */
export interface EnvelopeShape {
  /** The id exactly as it was sent; undefined if there is none (a notification). */
  readonly id: string | undefined
  /** The reason why the object is not a valid request, judged by its member names. */
  readonly problem: string | undefined
}

export class DepthError extends Error {}

const members = ['jsonrpc', 'id', 'method', 'params']

export class EnvelopeScanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Reads the request object that is the whole text, or the next one of a batch. */
  readEnvelope(depth: number): EnvelopeShape {
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) !== openBrace) {
      this.#skipValue(depth)
      return { id: undefined, problem: 'a call is an object' }
    }
    this.#at++
    let id: string | undefined
    let problem: string | undefined
    let seen = 0
    for (;;) {
      this.#skipSpace()
      const code = this.#text.charCodeAt(this.#at)
      if (code === closeBrace) break
      if (code === comma) {
        this.#at++
        continue
      }
      const name = this.#readName()
      this.#skipSpace()
      this.#at++ // the colon
      this.#skipSpace()
      const start = this.#at
      this.#skipValue(depth + 1)
      const member = members.indexOf(name)
      if (member >= 0) {
        const isDuplicate = (seen & (1 << member)) !== 0
        if (isDuplicate) problem ??= `the member "${name}" is there twice`
        seen |= 1 << member
        // If there are two ids, either may be the one that the client waits for.
        if (name === 'id') id = isDuplicate ? 'null' : this.#text.slice(start, this.#at)
      } else if (name === '__proto__' || members.includes(name.toLowerCase())) {
        problem ??= `the member ${JSON.stringify(name)} is not allowed`
      }
    }
    this.#at++
    return { id, problem }
  }

  /** Moves into the array of a batch. */
  enterArray(): void {
    this.#skipSpace()
    this.#at++
  }

  /** Moves to the next element of the array; returns false at its end. */
  nextElement(): boolean {
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) === comma) {
      this.#at++
      this.#skipSpace()
    }
    return this.#text.charCodeAt(this.#at) !== closeBracket
  }

  #skipSpace(): void {
    // JSON's white space is space, tab, line feed and carriage return: nothing else is at or below 0x20 in valid text.
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at++
  }

  #readName(): string {
    const start = this.#at
    this.#skipString()
    const name = this.#text.slice(start + 1, this.#at - 1)
    return name.includes('\\') ? JSON.parse(`"${name}"`) : name
  }

  #skipString(): void {
    let end = this.#at
    let escapes: number
    do {
      end = this.#text.indexOf('"', end + 1)
      escapes = 0
      while (this.#text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    } while (escapes % 2 === 1)
    this.#at = end + 1
  }

  /** Skips one value of any kind; `depth` is the number of objects and arrays around it. */
  #skipValue(depth: number): void {
    let open = depth
    do {
      const code = this.#text.charCodeAt(this.#at)
      if (code === quote) {
        this.#skipString()
        continue
      }
      if (code === openBrace || code === openBracket) {
        if (++open > maxDepth) throw new DepthError()
      } else if (code === closeBrace || code === closeBracket) {
        open--
      } else if (open === depth) {
        this.#skipScalar()
        return
      }
      this.#at++
    } while (open > depth)
  }

  /** Skips a number or a literal: everything up to the next separator. */
  #skipScalar(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (
        Number.isNaN(code) ||
        code <= 0x20 ||
        code === comma ||
        code === closeBrace ||
        code === closeBracket
      )
        return
      this.#at++
    }
  }
}
