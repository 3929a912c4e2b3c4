import { concatBytes } from '../../base/encoding/bytes.ts'
import type { Table } from '../../base/lmdb/lmdb.ts'
import { copySlice, peek } from '../tables/peek.ts'
import { asBuffer } from '../tables/rowKeys.ts'
import {
  appendPosting,
  checkPageOrdinal,
  fromPageOrdinal,
  type Posting,
  PostingReader,
  startPosition,
  toPageOrdinal,
} from './postings.ts'

/**
 * Posting lists by key (8 bytes), see postings.ts. The newest chunk of a list, its *tail*, is the row of the key itself
 * and grows in place: most lists have no other. A tail that is full is *sealed*: it becomes a separate row under
 *
 *   key · number (6 bytes) · page (2 bytes)       of its last posting
 *
 * so that the chunk which may hold a position is the first at or after it. A tail begins with the position up to which
 * chunks are sealed (8 bytes) behind a 1, or with a 0 where none are.
 */

/** The key of a list and the postings that are added to it. */
export interface PostingListUpdate {
  readonly key: Uint8Array
  /** The postings in order, after everything that the list holds. */
  readonly postings: readonly Posting[]
}

interface PagePosition {
  readonly number: number
  readonly page: number
}

const keyLength = 8
const sealedHeader = 9
const noHeader = Uint8Array.of(0)

/** The size in bytes at which a tail is sealed before it grows further. */
const chunkBytes = 1_024

const encodePosition = ({ number, page }: PagePosition): Buffer => {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeUIntBE(number, 0, 6)
  bytes.writeUInt16BE(page, 6)
  return bytes
}

const decodePosition = (bytes: Uint8Array, at: number): PagePosition => {
  const buffer = asBuffer(bytes)
  return { number: buffer.readUIntBE(at, 6), page: buffer.readUInt16BE(at + 6) }
}

const headerOf = (sealed: PagePosition | undefined): Uint8Array =>
  sealed ? concatBytes(Uint8Array.of(1), encodePosition(sealed)) : noHeader

interface Tail {
  readonly sealed: PagePosition | undefined
  readonly body: Uint8Array
}

const decodeTail = (row: Uint8Array): Tail =>
  row[0] === 0
    ? { sealed: undefined, body: row.subarray(1) }
    : { sealed: decodePosition(row, 1), body: row.subarray(sealedHeader) }

const readAll = (body: Uint8Array): PostingReader => new PostingReader(body, 0, body.length)

const lastPosition = (body: Uint8Array): PagePosition => {
  const reader = readAll(body)
  while (reader.next());
  return { number: reader.number, page: reader.page }
}

const encode = (postings: readonly Posting[], after: PagePosition = startPosition): Uint8Array => {
  const bytes: number[] = []
  let before = after
  for (const posting of postings) {
    checkPageOrdinal(posting.number, posting.page)
    appendPosting(bytes, before, posting)
    before = posting
  }
  return Uint8Array.from(bytes)
}

export interface Chunk {
  readonly list: Uint8Array
  readonly kind: 'tail' | 'sealed'
  /**
   * For a tail, the position up to which chunks are sealed; for a sealed chunk, the position at which it
   * ends.
   */
  readonly pagePosition: PagePosition | undefined
  readonly postings: readonly Posting[]
}

export class PostingTable {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  append({ key, postings }: PostingListUpdate): void {
    const row = this.#table.get(key)
    if (row === undefined) return this.#putTail(key, undefined, encode(postings))
    const { sealed, body } = decodeTail(row)
    const last = lastPosition(body)
    if (body.length < chunkBytes) return this.#putTail(key, sealed, concatBytes(body, encode(postings, last)))
    this.#table.put(concatBytes(key, encodePosition(last)), body)
    this.#putTail(key, last, encode(postings))
  }

  /** Removes the postings above a height from the end. */
  removeAbove(key: Uint8Array, height: number): void {
    for (;;) {
      const row = this.#table.get(key)
      if (row === undefined) return
      const { sealed, body } = decodeTail(row)
      const reader = readAll(body)
      let end = 0
      while (reader.next() && reader.number <= height) end = reader.position
      if (end === body.length) return
      if (end > 0) return this.#putTail(key, sealed, body.subarray(0, end))
      if (sealed === undefined) {
        this.#table.remove(key)
        return
      }
      this.#unseal(key, sealed)
    }
  }

  /** Removes the postings below a height from the beginning. */
  removeBelow(key: Uint8Array, height: number): void {
    const row = this.#table.get(key)
    if (row === undefined) return
    const { sealed, body } = decodeTail(row)
    if (sealed !== undefined && this.#removeSealedBelow(key, sealed, height)) return
    const kept = postingsFrom(body, height)
    if (kept.length === 0) this.#table.remove(key)
    else this.#putTail(key, undefined, encode(kept))
  }

  cursor(key: Uint8Array): PostingCursor {
    return new PostingCursor(this.#table, key)
  }

  /** Returns the postings of a list backwards, from the page ordinal (see `toPageOrdinal`) on. */
  *backwards(key: Uint8Array, from: number): Generator<Posting> {
    const row = this.#table.get(key)
    if (row === undefined) return
    const { sealed, body } = decodeTail(row)
    yield* postingsUpTo(body, from)
    if (sealed === undefined) return
    const range = { ...sealedRange(key, sealed), start: concatBytes(key, encodeOrdinal(from)), limit: 1 }
    const [first = concatBytes(key, encodePosition(sealed))] = [...this.#table.getKeys(range)]
    const { start: end } = sealedRange(key, sealed)
    for (const { value } of this.#table.getRange({ start: first, end, reverse: true, inclusiveEnd: true }))
      yield* postingsUpTo(value, from)
  }

  /**
   * Returns every chunk: for each list its tail, which says up to where chunks are sealed, and then those, in
   * order.
   */
  *chunks(): Generator<Chunk> {
    for (const { key, value } of this.#table.getRange({})) {
      const list = key.slice(0, keyLength)
      if (key.length === keyLength) {
        const { sealed, body } = decodeTail(value)
        yield { list, kind: 'tail', pagePosition: sealed, postings: postingsFrom(body, 0) }
      } else
        yield {
          list,
          kind: 'sealed',
          pagePosition: decodePosition(key, keyLength),
          postings: postingsFrom(value, 0),
        }
    }
  }

  /** Removes sealed chunks below a height. Returns true if a sealed chunk remains. */
  #removeSealedBelow(key: Uint8Array, sealed: PagePosition, height: number): boolean {
    // One at a time: a list may have any number of chunks behind those that are removed.
    for (;;) {
      const [first] = [...this.#table.getRange({ ...sealedRange(key, sealed), limit: 1 })]
      if (first === undefined) return false
      const kept = postingsFrom(first.value, height)
      if (kept.length > 0) {
        this.#table.put(first.key, encode(kept))
        return true
      }
      this.#table.remove(first.key)
    }
  }

  /** Makes the last sealed chunk the tail again. */
  #unseal(key: Uint8Array, sealed: PagePosition): void {
    const chunkKey = concatBytes(key, encodePosition(sealed))
    const body = this.#table.get(chunkKey)
    if (body === undefined) throw new Error('a chunk that the tail counts on is missing')
    this.#table.remove(chunkKey)
    const range = { start: chunkKey, end: key, reverse: true, limit: 1, exclusiveStart: true }
    const [before] = [...this.#table.getKeys(range)]
    this.#putTail(
      key,
      before && before.length > keyLength ? decodePosition(before, keyLength) : undefined,
      body,
    )
  }

  #putTail(key: Uint8Array, sealed: PagePosition | undefined, body: Uint8Array): void {
    this.#table.put(key, concatBytes(headerOf(sealed), body))
  }
}

const sealedRange = (key: Uint8Array, sealed: PagePosition) => ({
  start: concatBytes(key, encodePosition(startPosition)),
  end: concatBytes(key, encodePosition(sealed)),
  inclusiveEnd: true,
})

const postingsFrom = (body: Uint8Array, height: number): Posting[] => {
  const reader = readAll(body)
  const kept: Posting[] = []
  while (reader.next())
    if (reader.number >= height) kept.push({ number: reader.number, page: reader.page, runs: reader.runs() })
  return kept
}

const postingsUpTo = (body: Uint8Array, from: number): Posting[] =>
  postingsFrom(body, 0)
    .filter(({ number, page }) => toPageOrdinal(number, page) <= from)
    .reverse()

/** A cursor over one list, forwards only. It sees the list as it was at the first read, or newer. */
export class PostingCursor {
  /**
   * The ordinal of the current page (see `toPageOrdinal`); infinite before the first `seek` and after the
   * end.
   */
  ordinal = Number.POSITIVE_INFINITY
  readonly #table: Table
  readonly #key: Uint8Array
  #tail: Tail | undefined
  #isOpen = false
  #reader: PostingReader | undefined
  /** The last page ordinal of the chunk that `reader` is in. */
  #chunkEnd = -1
  #known: { readonly ordinal: number; readonly runs: readonly number[] } | undefined

  constructor(table: Table, key: Uint8Array) {
    this.#table = table
    this.#key = key
  }

  /** Whether the list is a long one. */
  get isLong(): boolean {
    this.#open()
    return this.#tail?.sealed !== undefined
  }

  /**
   * Moves to the first posting at or after the page ordinal, and returns its ordinal. Targets must not
   * decrease.
   */
  seek(target: number): number {
    if (this.#reader !== undefined && this.ordinal >= target) return this.ordinal
    if (this.#reader === undefined || target > this.#chunkEnd) this.#load(target)
    const reader = this.#reader
    while (reader?.next()) {
      const { ordinal } = reader
      if (ordinal >= target) {
        this.ordinal = ordinal
        return ordinal
      }
    }
    this.ordinal = Number.POSITIVE_INFINITY
    return this.ordinal
  }

  position(): PagePosition {
    return fromPageOrdinal(this.ordinal)
  }

  /** Returns the runs of the posting at the cursor. */
  runs(): readonly number[] {
    if (this.#known?.ordinal !== this.ordinal && this.#reader !== undefined)
      this.#known = { ordinal: this.ordinal, runs: this.#reader.runs() }
    return this.#known?.runs ?? []
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    const row = peek(this.#table, this.#key)
    this.#tail = row && decodeTail(copySlice(row, 0, row.length))
  }

  #load(target: number): void {
    this.#open()
    if (this.#tail === undefined) return
    const { sealed, body } = this.#tail
    if (sealed !== undefined && target <= toPageOrdinal(sealed.number, sealed.page)) {
      const start = concatBytes(this.#key, encodeOrdinal(target))
      const range = {
        start,
        end: concatBytes(this.#key, encodePosition(sealed)),
        inclusiveEnd: true,
        limit: 1,
      }
      for (const { key, value } of this.#table.getRange(range)) {
        const end = decodePosition(key, keyLength)
        this.#chunkEnd = toPageOrdinal(end.number, end.page)
        this.#reader = readAll(Uint8Array.prototype.slice.call(value))
        return
      }
    }
    if (this.#chunkEnd === Number.POSITIVE_INFINITY) return
    this.#chunkEnd = Number.POSITIVE_INFINITY
    this.#reader = readAll(body)
  }
}

const encodeOrdinal = (ordinal: number): Buffer => encodePosition(fromPageOrdinal(ordinal))
