import { emptyBytes } from '../../base/encoding/bytes.ts'
import { heightBytes, readHeight, writeHeight } from '../rows/rows.ts'
import { isKeptAsDelta, writeDelta } from './nodeDelta.ts'
import { entryFlags, type HistoryPiece, nodeKey, pathBand, type TrieNodeTable } from './nodeTable.ts'
import { nodeRowAt, skipAt, windowStart, windows } from './nodeVersion.ts'
import type { Branch, Leaf } from './trieNode.ts'
import { writeLeafRow } from './trieNode.ts'

/** The size of a piece: two pages of 8 KB, less LMDB's overhead. */
const pieceBytes = 16_300
const largestRow = 1_200
/**
 * The size of the first slab: small, as most blocks are, and then doubled, because LMDB's binding looks up
 * the address of each new one.
 */
const minSlabBytes = 1 << 14
const maxSlabBytes = 1 << 20

/** The trie node rows of one height, and the history of the rows that they replace. */
export class TrieNodeWrites {
  readonly #keys: Uint8Array[] = []
  readonly #values: Uint8Array[] = []
  readonly #before: (Uint8Array | undefined)[] = []
  readonly #height: number
  #slab = emptyBytes
  #used = 0
  /** The index of the first node of each trie, and the band of each node. */
  readonly #tries: number[] = []
  readonly #bands: number[] = []
  #isSorted = true
  /** The size of keys and values, in bytes. */
  bytes = 0

  constructor(height: number) {
    this.#height = height
  }

  /** Starts a trie; the nodes that follow belong to it and come in the order of their paths. */
  startTrie(): void {
    this.#tries.push(this.#keys.length)
  }

  /** Reserves a position in the order for a node whose row is known only after those below it. */
  reserve(): number {
    this.#keys.push(this.#slab)
    this.#bands.push(0)
    this.#values.push(this.#slab)
    this.#before.push(undefined)
    return this.#keys.length - 1
  }

  /** Adds a node out of order. */
  add(
    prefix: Uint8Array,
    path: Uint8Array,
    node: Branch | Leaf | undefined,
    before: Uint8Array | undefined,
  ): void {
    this.#isSorted &&= this.#keys.length === 0
    this.set(this.reserve(), nodeKey(prefix, path), pathBand(path), node, before)
  }

  /** Sets a node. An undefined node leaves a tombstone, so that its history can be found. */
  set(
    position: number,
    key: Uint8Array,
    band: number,
    node: Branch | Leaf | undefined,
    before: Uint8Array | undefined,
  ): void {
    this.#bands[position] = band
    const room = largestRow + (node && 'extension' in node ? node.extension.length : 0)
    if (this.#used + room > this.#slab.length) {
      this.#slab = new Uint8Array(Math.max(room, minSlabBytes, Math.min(maxSlabBytes, 2 * this.#slab.length)))
      this.#used = 0
    }
    const start = this.#used
    this.#writeHeader(start, before)
    let end = start + nodeRowAt
    if (node) end = 'extension' in node ? node.write(this.#slab, end) : writeLeafRow(this.#slab, end, node)
    this.#used = end
    this.#keys[position] = key
    this.#values[position] = this.#slab.subarray(start, end)
    this.#before[position] = before
    this.bytes += key.length + end - start
  }

  /** Writes the rows and the history; to be called inside a transaction. */
  write({ nodes, history }: TrieNodeTable, pieces: readonly HistoryPiece[]): void {
    for (const i of this.#order()) nodes.put(this.#keys[i] as Uint8Array, this.#values[i] as Uint8Array)
    for (const [key, piece] of pieces) history.put(key, piece)
  }

  /** Returns the history of this height, in pieces that can each be found by their first key. */
  pieces(): HistoryPiece[] {
    const pieces: HistoryPiece[] = []
    if (this.#keys.length === 0) return pieces
    let piece = Buffer.allocUnsafeSlow(this.#pieceSlab())
    let start = 0
    let at = 0
    let first: Uint8Array | undefined
    const close = (): void => {
      if (!first) return
      const key = new Uint8Array(heightBytes + first.length)
      writeHeight(key, 0, this.#height)
      key.set(first, heightBytes)
      pieces.push([key, piece.subarray(start, at)])
      start = at
      first = undefined
    }
    for (const index of this.#order()) {
      const key = this.#keys[index] as Uint8Array
      const before = this.#before[index]
      const size = 4 + key.length + (before?.length ?? 0)
      if (at - start + size > pieceBytes) close()
      if (at + size + pieceBytes > piece.length) {
        close()
        piece = Buffer.allocUnsafeSlow(maxSlabBytes)
        start = 0
        at = 0
      }
      first ??= key
      piece[at] = key.length
      piece.set(key, at + 1)
      at += 1 + key.length
      at = this.#writeBefore(piece, at, this.#values[index] as Uint8Array, before)
    }
    close()
    return pieces
  }

  /** Writes the rest of an entry behind its key. */
  #writeBefore(piece: Buffer, at: number, value: Uint8Array, before: Uint8Array | undefined): number {
    const isDeleted = value.length === nodeRowAt
    const start = at + 3
    let end = start
    let isDelta = false
    if (before) {
      end = !isDeleted && isKeptAsDelta(before, this.#height) ? writeDelta(piece, start, before, value) : -1
      isDelta = end >= 0
      if (!isDelta) {
        piece.set(before, start)
        end = start + before.length
      }
    }
    piece[at] = (isDeleted ? entryFlags.deleted : 0) | (isDelta ? entryFlags.delta : 0)
    piece.writeUInt16BE(end - start, at + 1)
    return end
  }

  /** Returns the size of a slab for the history of a small block. */
  #pieceSlab(): number {
    let size = pieceBytes
    for (const [index, key] of this.#keys.entries()) {
      size += 4 + key.length + (this.#before[index]?.length ?? 0)
      if (size > maxSlabBytes) return maxSlabBytes
    }
    return size
  }

  /**
   * Returns the positions in the order of their keys: trie by trie, band by band, and within a band as they
   * came.
   */
  #order(): number[] {
    const keys = this.#keys
    const bands = this.#bands
    const tries = this.#tries
    if (!this.#isSorted) {
      const positions = keys.map((_, position) => position)
      return positions.sort((a, b) => Buffer.compare(keys[a] as Uint8Array, keys[b] as Uint8Array))
    }
    const order: number[] = []
    for (const [index, start] of tries.entries()) {
      const end = tries[index + 1] ?? keys.length
      const byBand: number[][] = []
      for (let position = start; position < end; position++) {
        const band = bands[position] as number
        byBand[band] ??= []
        byBand[band].push(position)
      }
      for (const positions of byBand) for (const position of positions ?? []) order.push(position)
    }
    return order
  }

  #writeHeader(at: number, before: Uint8Array | undefined): void {
    writeVersionHeader(this.#slab, at, this.#height, before)
  }
}

/** Writes what is stored before the row of a node: the height, and the skips that follow from what it replaces. */
export const writeVersionHeader = (
  target: Uint8Array,
  at: number,
  height: number,
  before: Uint8Array | undefined,
): void => {
  target.fill(0, at, at + nodeRowAt)
  writeHeight(target, at, height)
  if (!before) return
  const version = readHeight(before, 0)
  for (let level = 0; level < windows.length; level++) {
    const skip = skipAt(level)
    if (version <= windowStart(height, level as 0)) {
      writeHeight(target, at + skip, height)
    } else {
      for (let i = 0; i < heightBytes; i++) target[at + skip + i] = before[skip + i] as number
    }
  }
}
