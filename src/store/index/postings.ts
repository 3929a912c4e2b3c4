/**
 * Posting lists: the sorted pages in which a value occurs, in few bytes.
 *
 * A posting says which entries of one page of a block (see pages.ts) are meant: of a page of receipts the logs,
 * counted from the page's first one, or of a page of transactions these themselves. A list is cut into chunks of
 * about a kilobyte; a chunk is postings one after the other, each relative to the one before it:
 *
 *   2 · (number − number before) · page          in another block
 *   2 · (page − page before) + 1                 in the same block
 *
 * and then the runs of entries, each `4 · gap + 2 · (longer than one) + (another run follows)` and, where it is longer
 * than one, its length less 2. All of these are varints: 7 bits a byte, lowest first, the high bit on all but the last.
 */

/** Entries as pairs of start and end (not included), in order and apart from each other. */
export type Runs = readonly number[]

export interface Posting {
  readonly number: number
  readonly page: number
  readonly runs: Runs
}

/** Returns block and page as one number with the same order. */
export const toPageOrdinal = (number: number, page: number): number => number * pagesPerBlock + page

/** The most pages of a block; no block has as many, because it would hold two million transactions. */
const pagesPerBlock = 65_536

export const fromPageOrdinal = (ordinal: number): { readonly number: number; readonly page: number } => ({
  number: Math.floor(ordinal / pagesPerBlock),
  page: ordinal % pagesPerBlock,
})

/** Returns the ordinal of the last possible page of a block. */
export const lastPageOrdinal = (number: number): number => toPageOrdinal(number, pagesPerBlock - 1)

/** The limit of block numbers, so that every page ordinal is a safe integer. */
const blockLimit = 2 ** 37

export const checkPageOrdinal = (number: number, page: number): void => {
  if (number >= blockLimit || page >= pagesPerBlock)
    throw new RangeError(`page ${page} of block ${number} cannot be indexed`)
}

/** Reads a chunk posting by posting. */
export class PostingReader {
  number = 0
  page = 0
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number
  /** Whether `at` is before the runs of the current posting. */
  #isBeforeRuns = false

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  get ordinal(): number {
    return toPageOrdinal(this.number, this.page)
  }

  /** Moves to the next posting. Returns false at the end. */
  next(): boolean {
    if (this.#isBeforeRuns) this.#skipRuns()
    if (this.#at >= this.#end) return false
    const step = this.#varint()
    const half = Math.floor(step / 2)
    if (step % 2 === 1) this.page += half
    else {
      this.number += half
      this.page = this.#varint()
    }
    this.#isBeforeRuns = true
    return true
  }

  /** Returns the runs of the current posting. It may be called once per posting. */
  runs(): number[] {
    const runs: number[] = []
    let end = 0
    for (;;) {
      const token = this.#varint()
      const start = end + (token >>> 2)
      end = start + 1
      if ((token & 2) !== 0) end += 1 + this.#varint()
      runs.push(start, end)
      if ((token & 1) === 0) break
    }
    this.#isBeforeRuns = false
    return runs
  }

  /** Returns the offset of the next posting. The runs of the current one must have been read or skipped. */
  get position(): number {
    if (this.#isBeforeRuns) this.#skipRuns()
    return this.#at
  }

  #skipRuns(): void {
    for (;;) {
      const token = this.#varint()
      if ((token & 2) !== 0) this.#varint()
      if ((token & 1) === 0) break
    }
    this.#isBeforeRuns = false
  }

  #varint(): number {
    let byte = this.#bytes[this.#at++] as number
    if (byte < 128) return byte
    let value = byte & 127
    let factor = 128
    do {
      if (this.#at >= this.#end) throw new RangeError('a posting list ends within a number')
      byte = this.#bytes[this.#at++] as number
      value += (byte & 127) * factor
      factor *= 128
    } while (byte >= 128)
    return value
  }
}

const pushVarint = (bytes: number[], value: number): void => {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

/** The position before the first posting of a list or chunk. */
export const startPosition = { number: 0, page: 0 }

/** Appends one posting to the bytes of a chunk that ends at `before`. */
export const appendPosting = (
  bytes: number[],
  before: { readonly number: number; readonly page: number },
  { number, page, runs }: Posting,
): void => {
  if (number === before.number && before !== startPosition) pushVarint(bytes, 2 * (page - before.page) + 1)
  else {
    pushVarint(bytes, 2 * (number - before.number))
    pushVarint(bytes, page)
  }
  let last = 0
  for (let at = 0; at < runs.length; at += 2) {
    const start = runs[at] as number
    const end = runs[at + 1] as number
    const length = end - start
    const more = at + 2 < runs.length ? 1 : 0
    pushVarint(bytes, 4 * (start - last) + (length > 1 ? 2 : 0) + more)
    if (length > 1) pushVarint(bytes, length - 2)
    last = end
  }
}

/** Returns the entries in both. */
export const intersectRuns = (a: Runs, b: Runs): number[] => {
  const both: number[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const start = Math.max(a[i] as number, b[j] as number)
    const endA = a[i + 1] as number
    const endB = b[j + 1] as number
    const end = Math.min(endA, endB)
    if (start < end) both.push(start, end)
    if (endA <= endB) i += 2
    if (endB <= endA) j += 2
  }
  return both
}

/** Returns the entries in either. */
export const uniteRuns = (a: Runs, b: Runs): number[] => {
  const either: number[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const takesA = j >= b.length || (i < a.length && (a[i] as number) <= (b[j] as number))
    const start = (takesA ? a[i] : b[j]) as number
    const end = (takesA ? a[i + 1] : b[j + 1]) as number
    if (takesA) i += 2
    else j += 2
    const last = either.length - 1
    if (last > 0 && start <= (either[last] as number)) either[last] = Math.max(either[last] as number, end)
    else either.push(start, end)
  }
  return either
}

/** Adds an entry after all others. */
export const addToRuns = (runs: number[], entry: number): void => {
  const last = runs.length - 1
  if (last > 0 && runs[last] === entry) runs[last] = entry + 1
  else if (last < 0 || (runs[last] as number) < entry) runs.push(entry, entry + 1)
}
