import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  space,
} from '../../base/json/jsonCodes.ts'
import { TextSkipper } from '../../base/json/jsonTokens.ts'
import { UpstreamError } from '../data/upstreamError.ts'

/** No reply of CometBFT is deeper. */
const maxDepth = 64
/** The longest text that is compared with a name. */
const maxNameLength = 64

export interface SplitterOptions {
  /** The name of the list, a member of the object `result`. */
  readonly name: string
  /** The largest size of one element, and of all that is outside the list, in bytes. */
  readonly maxElementBytes: number
  readonly maxOutsideBytes: number
  readonly onElement: (json: Buffer) => void
  /** Creates the error for a part that is too large. */
  readonly tooLarge: (message: string) => Error
}

/**
 * Splits the text of a JSON-RPC reply, in whatever pieces it arrives, into the elements of one list of its result and
 * the rest, so that the whole is never in memory. It does not check the JSON: elements and the rest are parsed by
 * others, and text that is not JSON fails there.
 */
export class JsonListSplitter {
  readonly #options: SplitterOptions
  /** The text outside the list, in which the list is empty. */
  readonly #outside: Buffer[] = []
  #outsideBytes = 0
  #element: Buffer[] = []
  #elementBytes = 0
  #depth = 0
  readonly #texts = new TextSkipper()
  /** The last text outside the list, as far as it may be a name. */
  #text = ''
  /** The names of the members that lead to the current value, for the outer two objects. */
  readonly #names = ['', '', '']
  /** Whether the next byte is within the list, and within one of its elements. */
  #isInList = false
  #isInElement = false
  #hasSeenList = false

  constructor(options: SplitterOptions) {
    this.#options = options
  }

  push(piece: Buffer): void {
    /** Where the bytes begin that are not copied yet. */
    let start = 0
    for (let at = 0; at < piece.length; ) {
      if (this.#texts.isInText) {
        at = this.#skipText(piece, at)
        continue
      }
      const byte = piece[at] as number
      if (this.#isInList && this.#depth === listDepth && (byte === comma || byte === closeBracket)) {
        this.#keep(piece.subarray(start, at))
        if (this.#isInElement) this.#endElement()
        start = byte === comma ? at + 1 : at
        if (byte === closeBracket) this.#isInList = false
      } else if (this.#isInList && !this.#isInElement && byte > space) {
        start = at
        this.#isInElement = true
      }
      at++
      if (this.#step(byte)) {
        this.#keep(piece.subarray(start, at))
        start = at
        this.#isInList = true
        this.#hasSeenList = true
      }
    }
    this.#keep(piece.subarray(start))
  }

  /** Returns the text outside the list. Throws if the reply ended within the list. */
  end(): Buffer {
    if (this.#isInList || this.#texts.isInText || this.#depth !== 0)
      throw new UpstreamError('a reply is not JSON')
    return Buffer.concat(this.#outside)
  }

  /** Moves over a byte outside texts; returns whether the list begins after it. */
  #step(byte: number): boolean {
    switch (byte) {
      case quote:
        this.#texts.isInText = true
        this.#text = ''
        return false
      case colon:
        if (this.#depth < this.#names.length) this.#names[this.#depth] = this.#text
        return false
      case openBracket:
      case openBrace:
        if (++this.#depth > maxDepth) throw new UpstreamError('a reply is too deep')
        return byte === openBracket && this.#isList()
      case closeBracket:
      case closeBrace:
        this.#depth--
        return false
      default:
        return false
    }
  }

  #isList(): boolean {
    const isIt =
      this.#depth === listDepth && this.#names[1] === 'result' && this.#names[2] === this.#options.name
    if (isIt && this.#hasSeenList) throw new UpstreamError(`${this.#options.name} is in a reply twice`)
    return isIt
  }

  /** Returns the index after the end of a text, or the length of the piece if it does not end in it. */
  #skipText(piece: Buffer, from: number): number {
    const end = this.#texts.skip(piece, from)
    const stop = this.#texts.isInText ? end : end - 1
    if (!this.#isInElement && this.#text.length < maxNameLength)
      this.#text += piece.toString('latin1', from, Math.min(stop, from + maxNameLength))
    return end
  }

  #keep(bytes: Buffer): void {
    const { maxElementBytes, maxOutsideBytes, name, tooLarge } = this.#options
    if (bytes.length === 0) return
    if (this.#isInElement) {
      this.#elementBytes += bytes.length
      if (this.#elementBytes > maxElementBytes)
        throw tooLarge(`an element of ${name} is larger than ${maxElementBytes} bytes`)
      this.#element.push(bytes)
    } else if (!this.#isInList) {
      this.#outsideBytes += bytes.length
      if (this.#outsideBytes > maxOutsideBytes)
        throw tooLarge(`a reply has more than ${maxOutsideBytes} bytes beside ${name}`)
      this.#outside.push(Buffer.from(bytes)) // a copy: the piece itself is not kept
    }
  }

  #endElement(): void {
    const [first] = this.#element
    const json = this.#element.length === 1 && first !== undefined ? first : Buffer.concat(this.#element)
    this.#element = []
    this.#elementBytes = 0
    this.#isInElement = false
    this.#options.onElement(json)
  }
}

/** The depth within the list: the envelope, the result, the list. */
const listDepth = 3
