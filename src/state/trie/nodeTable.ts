import type { Transaction } from 'lmdb'
import type { Table } from '../../base/lmdb/lmdb.ts'
import { heightBytes, heightKey, readHeight, writeHeight } from '../rows/rows.ts'
import { applyDelta } from './nodeDelta.ts'
import { nodeRowAt, skipAt, windowStart, windows } from './nodeVersion.ts'

/**
 * Trie nodes by path: the newest version of each in one dense table, and what it replaced in a second one that only
 * grows at its end, so that a block touches half the pages that versions side by side would.
 *
 *   nodes:   key → version · two skips · row (no row: the node is deleted)
 *   history: height ‖ first key → the entries that were replaced at this height, in pieces of about 16 KB
 *
 * A key is the trie's prefix, the band (two levels of the trie each) and the path: with the upper levels close together,
 * a block that changes most of their nodes touches few pages for them.
 *
 * A version's predecessor is found in the history of the height at which that version was written. A skip leads to
 * the version in force where the window of 64 or 4,096 heights before it ended, by the height that replaced that one,
 * so that no walk back is long.
 */

export const pathBand = (path: Uint8Array): number => path.length >> 1

/** Returns the key of the trie node at a path of nibbles, one per byte. */
export const nodeKey = (prefix: Uint8Array, path: Uint8Array): Uint8Array => {
  const key = new Uint8Array(prefix.length + 1 + path.length)
  for (let i = 0; i < prefix.length; i++) key[i] = prefix[i] as number
  key[prefix.length] = pathBand(path)
  for (let i = 0; i < path.length; i++) key[prefix.length + 1 + i] = path[i] as number
  return key
}

export interface Replaced {
  readonly key: Uint8Array
  /**
   * The value that was stored before, or its difference to the one of this height (see nodeDelta.ts), which begins like it
   * with version and skips; undefined if there was none.
   */
  readonly before: Uint8Array | undefined
  readonly isDelta: boolean
  readonly isDeleted: boolean
}

/** A piece of a height's history, with its key. */
export type HistoryPiece = readonly [key: Uint8Array, piece: Uint8Array]

type Pinned = { readonly transaction: Transaction } | undefined

/**
 * Copies values that lmdb-js read into slabs, because an array buffer for each would cost more than the read.
 */
class CopyBuffer {
  #slab = new Uint8Array(1 << 18)
  #used = 0
  #view: Uint8Array = new Uint8Array(0)

  take(bytes: Uint8Array): Uint8Array {
    const { length } = bytes
    if (this.#used + length > this.#slab.length) {
      this.#slab = new Uint8Array(Math.max(1 << 18, length))
      this.#used = 0
    }
    // A plain view, because parts of a Buffer are created by its slower constructor.
    if (this.#view.buffer !== bytes.buffer || this.#view.byteOffset !== bytes.byteOffset) {
      this.#view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    const start = this.#used
    this.#used += length
    this.#slab.set(this.#view.subarray(0, length), start)
    return this.#slab.subarray(start, this.#used)
  }
}

export class TrieNodeTable {
  readonly nodes: Table
  readonly history: Table
  readonly #copies = new CopyBuffer()

  constructor(nodes: Table, history: Table) {
    this.nodes = nodes
    this.history = history
  }

  /** Returns a copy of the newest stored value of a key, tombstones included. */
  newest(key: Uint8Array, pinned?: Pinned): Uint8Array | undefined {
    const get = this.nodes.getBinaryFast as (key: Uint8Array, options?: object) => Uint8Array | undefined
    const bytes = get.call(this.nodes, key, pinned)
    return bytes && this.#copies.take(bytes)
  }

  /** Returns the value that was stored for a key at a height; undefined if there was no trie node. */
  at(key: Uint8Array, height: number, pinned?: Pinned): Uint8Array | undefined {
    const stored = this.versionAt(key, height, pinned)
    return stored && stored.length > nodeRowAt ? stored : undefined
  }

  /** Returns the value that was stored for a key at a height, tombstones included. */
  versionAt(key: Uint8Array, height: number, pinned?: Pinned): Uint8Array | undefined {
    let stored = this.newest(key, pinned)
    while (stored) {
      const version = readHeight(stored, 0)
      if (version <= height) return stored
      stored = this.#before(stored, predecessor(stored, version, height), key, pinned)
    }
    return undefined
  }

  /** Returns the entries that a height replaced, in the order of their keys. */
  *replacedBy(height: number): Generator<Replaced> {
    const start = heightKey(height)
    for (const { value } of this.history.getRange({ start, end: heightKey(height + 1) })) {
      yield* decodePiece(value)
    }
  }

  /** Returns the pieces of the history of a height. */
  *pieces(height: number): Generator<HistoryPiece> {
    for (const { key, value } of this.history.getRange({
      start: heightKey(height),
      end: heightKey(height + 1),
    }))
      yield [key.slice(), value]
  }

  /** Returns the keys of the history of these heights. */
  historyKeys(from: number, to: number): Uint8Array[] {
    return [...this.history.getKeys({ start: heightKey(from), end: heightKey(to + 1) })].map((key) =>
      key.slice(),
    )
  }

  /** Returns what a height replaced; `stored` is the version of that height or one of the same small window after it. */
  #before(stored: Uint8Array, height: number, key: Uint8Array, pinned: Pinned): Uint8Array | undefined {
    if (height === 0) return undefined
    const { before, isDelta } = this.#replacedAt(height, key, pinned)
    // Each step goes back in time, or a damaged row sends the walk in circles.
    if (height > readHeight(stored, 0) || (before !== undefined && readHeight(before, 0) >= height))
      throw new Error(`the node history of ${height} holds a version that is not older`)
    if (before === undefined || !isDelta) return before
    let after: Uint8Array | undefined = stored
    while (after && readHeight(after, 0) > height)
      after = this.#before(after, readHeight(after, 0), key, pinned)
    if (!after || readHeight(after, 0) !== height)
      throw new Error(`the node history of ${height} lacks a row`)
    return applyDelta(before, after)
  }

  #replacedAt(height: number, key: Uint8Array, pinned: Pinned): Replaced {
    const start = new Uint8Array(heightBytes + key.length)
    writeHeight(start, 0, height)
    start.set(key, heightBytes)
    for (const { value } of this.history.getRange({ start, reverse: true, limit: 1, ...pinned })) {
      const entry = findInPiece(value, key)
      if (entry) return entry
    }
    throw new Error(`the node history of ${height} lacks a row`)
  }
}

/** Returns the height whose history leads to the version in force at `height`; 0 if there was none. */
const predecessor = (stored: Uint8Array, version: number, height: number): number => {
  for (let level = windows.length - 1; level >= 0; level--) {
    if (height <= windowStart(version, level as 0)) return readHeight(stored, skipAt(level))
  }
  return version
}

// An entry: length of the key · key · whether the node is deleted (1) and the value a difference (2) · length of the value
// (2 bytes) · value.
export const entryFlags = { deleted: 1, delta: 2 } as const

const entryEnd = (piece: Uint8Array, at: number): number => {
  const keyEnd = at + 1 + (piece[at] as number)
  return keyEnd + 3 + (((piece[keyEnd + 1] as number) << 8) | (piece[keyEnd + 2] as number))
}

const decodeEntry = (piece: Uint8Array, at: number): Replaced => {
  const keyEnd = at + 1 + (piece[at] as number)
  const end = entryEnd(piece, at)
  const before = end > keyEnd + 3 ? piece.subarray(keyEnd + 3, end) : undefined
  const flags = piece[keyEnd] as number
  return {
    key: piece.subarray(at + 1, keyEnd),
    before,
    isDelta: (flags & entryFlags.delta) !== 0,
    isDeleted: (flags & entryFlags.deleted) !== 0,
  }
}

export function* decodePiece(piece: Uint8Array): Generator<Replaced> {
  for (let at = 0; at < piece.length; at = entryEnd(piece, at)) yield decodeEntry(piece, at)
}

/** Returns whether a piece is what its entries are written as. */
export const isCanonicalPiece = (piece: Uint8Array, entries: readonly Replaced[]): boolean => {
  const parts = entries.flatMap(({ key, before, isDelta, isDeleted }) => {
    const length = before?.length ?? 0
    const flags = (isDeleted ? entryFlags.deleted : 0) | (isDelta ? entryFlags.delta : 0)
    const header = Uint8Array.of(flags, length >> 8, length)
    return [Uint8Array.of(key.length), key, header, before ?? new Uint8Array(0)]
  })
  return Buffer.compare(Buffer.concat(parts), piece) === 0
}

const findInPiece = (piece: Uint8Array, key: Uint8Array): Replaced | undefined => {
  for (let at = 0; at < piece.length; at = entryEnd(piece, at)) {
    if (piece[at] !== key.length) continue
    let same = 0
    while (same < key.length && piece[at + 1 + same] === key[same]) same++
    if (same === key.length) return decodeEntry(piece, at)
  }
  return undefined
}
