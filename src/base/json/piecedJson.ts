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
import { DepthError } from './jsonScanner.ts'
import { MemberNames } from './memberNames.ts'

/** The text that is parsed at once, and that of a string, which is faster to read. */
const pieceLength = 16_384
const stringPieceLength = 65_536

/** An object or a list that is longer than a piece, while it is read. */
interface OpenContainer {
  readonly value: unknown[] | Record<string, unknown>
  /** The names of its members; undefined for a list. */
  readonly names: MemberNames | undefined
  /** The member whose value is read. */
  key: string
}

/** Sets a member of parsed JSON; `__proto__` is one like any other there. */
export const setMember = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}

/**
 * Parses long JSON to what `JSON.parse` makes of it, one piece after the other: the generators yield after each, so that
 * other work can run in between. What fits into a piece is left to `JSON.parse`; only what is longer is taken apart.
 * Anything but JSON is a SyntaxError.
 */
export class PiecedJson {
  readonly text: string
  readonly #maxDepth: number
  readonly #pieceLength: number
  at = 0
  /** Whether the run that was taken last is the end of its container. */
  endsContainer = false

  constructor(text: string, maxDepth: number, length: number = pieceLength) {
    this.text = text
    this.#maxDepth = maxDepth
    this.#pieceLength = length
  }

  /** Returns the code of the character that is next; NaN at the end. */
  get next(): number {
    return this.text.charCodeAt(this.at)
  }

  skipSpace(): void {
    if (!isSpace(this.next)) return
    this.at++
    if (!isSpace(this.next)) return
    // There may be millions.
    notSpace.lastIndex = this.at
    this.at = notSpace.exec(this.text)?.index ?? this.text.length
  }

  /** Enters an object or a list that begins here. Returns whether it has anything. */
  enter(open: typeof openBrace | typeof openBracket): boolean {
    this.#expect(open)
    // The codes of the brackets that close are two above those that open.
    if (this.next !== open + 2) return true
    this.at++
    return false
  }

  /** Goes on to the next member or element. Returns whether there is one. */
  nextElement(close: typeof closeBrace | typeof closeBracket): boolean {
    this.skipSpace()
    const isMore = this.next === comma
    this.#expect(isMore ? comma : close)
    return isMore
  }

  /** Ends: there must be nothing more. */
  finish(): void {
    this.skipSpace()
    if (this.at !== this.text.length) throw this.#error()
  }

  /** Reads the key of a member; its value is next. */
  *key(): Generator<undefined, string> {
    if (this.next !== quote) throw this.#error()
    const key = yield* this.#string()
    this.skipSpace()
    this.#expect(colon)
    return key
  }

  /** Reads the value that is next; `depth` is the number of objects and lists around it. */
  *value(depth: number): Generator<undefined, unknown> {
    const open: OpenContainer[] = []
    let value = yield* this.#begin(open, depth)
    for (;;) {
      const container = open.at(-1)
      if (container === undefined) return value
      const isList = Array.isArray(container.value)
      const close = isList ? closeBracket : closeBrace
      let isMore = true
      if (value !== undefined) {
        if (Array.isArray(container.value)) container.value.push(value)
        else {
          container.names?.add(container.key)
          setMember(container.value, container.key, value)
        }
        isMore = this.nextElement(close)
      } else if (this.next === close) {
        this.at++
        isMore = false
      }
      while (isMore) {
        const run = this.run(close, depth + open.length)
        if (run === undefined) break
        append(container, run)
        isMore = !this.endsContainer
        yield
      }
      if (isMore) {
        // The next element is longer than a piece.
        if (!isList) container.key = yield* this.key()
        value = yield* this.#begin(open, depth)
      } else {
        open.pop()
        container.names?.keep()
        value = container.value
      }
    }
  }

  /**
   * Takes the members or elements from here on that fit into a piece, and returns their text; undefined if the first one does
   * not. They are not checked: `JSON.parse` must take them between the brackets of their container.
   */
  run(close: typeof closeBrace | typeof closeBracket, depth: number): string | undefined {
    const start = this.at
    const cut = this.#findRun(depth)
    if (cut < 0) return undefined
    if (cut === start || (this.endsContainer && this.text.charCodeAt(cut) !== close)) throw this.#error()
    this.at = cut + 1
    if (!this.endsContainer) this.skipSpace()
    return this.text.slice(start, cut)
  }

  /** Reads a string or a scalar, or enters a container. Returns what is whole. */
  *#begin(open: OpenContainer[], depth: number): Generator<undefined, unknown> {
    const code = this.next
    if (code === quote) return yield* this.#string()
    if (code !== openBrace && code !== openBracket) return this.#scalar()
    if (depth + open.length >= this.#maxDepth) throw new DepthError(this.#maxDepth)
    this.at++
    this.skipSpace()
    const value = code === openBracket ? [] : {}
    open.push({ value, names: Array.isArray(value) ? undefined : new MemberNames(value), key: '' })
    return undefined
  }

  /** Returns the index of the last comma of the container within a piece, or of the bracket that closes it; or -1. */
  #findRun(depth: number): number {
    const { text } = this
    const end = Math.min(text.length, this.at + this.#pieceLength)
    let cut = -1
    let open = 0
    let deepest = 0
    this.endsContainer = false
    for (let at = this.at; at < end && !this.endsContainer; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) at = new QuoteFinder(text, at + 1).before(end) ?? end
      else if (code === comma) {
        if (open === 0) cut = at
      } else if (code === openBrace || code === openBracket) {
        if (++open > deepest) deepest = open
      } else if ((code === closeBrace || code === closeBracket) && open-- === 0) {
        cut = at
        this.endsContainer = true
      }
    }
    if (cut >= 0 && depth + deepest > this.#maxDepth) throw new DepthError(this.#maxDepth)
    return cut
  }

  #scalar(): unknown {
    const { text } = this
    const start = this.at
    scalarEnd.lastIndex = start
    this.at = scalarEnd.exec(text)?.index ?? text.length
    return JSON.parse(text.slice(start, this.at))
  }

  *#string(): Generator<undefined, string> {
    const { text } = this
    const parts: string[] = []
    const quotes = new QuoteFinder(text, this.at + 1)
    for (let at = this.at + 1; ; ) {
      const end = this.#pieceEnd(at)
      const stop = quotes.before(end, at)
      parts.push(JSON.parse(`"${text.slice(at, stop ?? end)}"`) as string)
      if (stop !== undefined) {
        this.at = stop + 1
        return parts.length === 1 ? (parts[0] as string) : parts.join('')
      }
      if (end >= text.length) throw this.#error()
      at = end
      yield
    }
  }

  /** Returns the end of a piece of a string, which is not within an escape sequence. */
  #pieceEnd(start: number): number {
    const { text } = this
    const end = start + stringPieceLength
    if (end >= text.length) return text.length
    let last = end - 1
    while (last >= end - longestEscape && text.charCodeAt(last) !== backslash) last--
    if (last < end - longestEscape) return end
    let first = last
    while (first > start && text.charCodeAt(first - 1) === backslash) first--
    return (last - first) % 2 === 0 ? last : end
  }

  #expect(code: number): void {
    if (this.next !== code) throw this.#error()
    this.at++
    this.skipSpace()
  }

  #error(): SyntaxError {
    return new SyntaxError(`invalid JSON at ${this.at} of ${this.text.length}`)
  }
}

const isSpace = (code: number): boolean => code === space || code === 0x0a || code === 0x0d || code === 0x09

/** Adds what a run of members or elements is parsed to. */
const append = ({ value, names }: OpenContainer, run: string): void => {
  if (Array.isArray(value)) {
    for (const element of JSON.parse(`[${run}]`) as unknown[]) value.push(element)
    return
  }
  const members = JSON.parse(`{${run}}`) as Record<string, unknown>
  for (const name of Object.keys(members)) {
    names?.add(name)
    setMember(value, name, members[name])
  }
}

const notSpace = /[^ \n\r\t]/g
const scalarEnd = /[\s,\]}]/g
const longestEscape = '\\u0000'.length

/** Finds the quote that ends a string. */
class QuoteFinder {
  readonly #text: string
  readonly #start: number
  /** The first quote that was not looked at; it is searched for once, however far away it is. */
  #next: number

  constructor(text: string, start: number) {
    this.#text = text
    this.#start = start
    this.#next = text.indexOf('"', start)
  }

  /** Returns the index of that quote; undefined if it is not before `end`. `from` is not within an escape sequence. */
  before(end: number, from = this.#start): number | undefined {
    const text = this.#text
    for (; this.#next >= 0 && this.#next < end; this.#next = text.indexOf('"', this.#next + 1)) {
      let first = this.#next
      while (first > from && text.charCodeAt(first - 1) === backslash) first--
      if ((this.#next - first) % 2 === 0) return this.#next
    }
    return undefined
  }
}

/** Parses a whole text that may be nested up to `maxDepth`. */
export function* parsePieced(text: string, maxDepth: number): Generator<undefined, unknown> {
  const json = new PiecedJson(text, maxDepth)
  json.skipSpace()
  const value = yield* json.value(0)
  json.finish()
  return value
}
