import type { DataFile } from './file.ts'
import {
  metaPages,
  nodeFlags,
  nodeHeaderBytes,
  noPage,
  overflowPageCount,
  pageFlags,
  pageHeaderBytes,
  readTree,
  readUint64,
  sortedValues,
  type TreeRecord,
  treeBytes,
} from './format.ts'

/** Called with each row of a table; with several values for a key once for each. The bytes are valid during the call. */
export type OnRow = (key: Buffer, value: Buffer) => void

export interface TreeOptions {
  /** The name in problems. */
  readonly name: string
  /** The kind of its values: of the list of free pages, of the table of tables, or of a table. */
  readonly kind: 'free' | 'tables' | 'table'
  readonly onRow?: OnRow | undefined
  /** Called with the record of each table in the table of tables. */
  readonly onTree?: (name: string, tree: TreeRecord) => void
}

interface PageBounds {
  /** The first key that may be in the page, and the first that may not; undefined without a bound. */
  readonly from: Buffer | undefined
  readonly to: Buffer | undefined
}

interface Counts {
  branch: number
  leaf: number
  overflow: number
  entries: number
}

/** Thrown inside a tree at damage; the subtree is left out, and the problem is reported. */
class DamageError extends Error {}

const damaged = (what: string): never => {
  throw new DamageError(what)
}

const toEven = (size: number): number => (size + 1) & ~1

/**
 * Reads the trees of one transaction page by page and reports what LMDB would stumble over: pages that are missing, in
 * two places or not of the kind they must be, nodes outside of their page, keys out of order, counts that are wrong.
 */
export class TreeReader {
  /** The pages that belong to a tree, a bit for each. */
  readonly used: Uint8Array
  usedPages = 0
  /** Whether pages were left out because there are too many. */
  isCut = false
  readonly #file: DataFile
  readonly #pageSize: number
  readonly #lastPage: number
  readonly #transaction: number
  /** The number of used pages at which no further page of the tree is read. */
  #limit = Number.POSITIVE_INFINITY
  readonly #report: (problem: string) => void
  readonly #onRead: ((usedPages: number) => void) | undefined

  constructor(
    file: DataFile,
    meta: { readonly pageSize: number; readonly lastPage: number; readonly transaction: number },
    report: (problem: string) => void,
    onRead?: (usedPages: number) => void,
  ) {
    this.#onRead = onRead
    this.#file = file
    this.#pageSize = meta.pageSize
    this.#lastPage = meta.lastPage
    this.#transaction = meta.transaction
    this.#report = report
    // A page beyond the end of the file cannot be in use.
    const pages = Math.min(meta.lastPage + 1, Math.ceil(file.size / meta.pageSize))
    this.used = new Uint8Array((pages >> 3) + 1)
  }

  isUsed(page: number): boolean {
    return ((this.used[page >> 3] ?? 0) & (1 << (page & 7))) !== 0
  }

  /** Reads a tree and compares what is in it with its record; with a limit only the pages of its last keys. */
  readUpTo(maxPages: number, tree: TreeRecord, options: TreeOptions): void {
    this.#limit = this.usedPages + maxPages
    this.#read(tree, options)
  }

  #read(tree: TreeRecord, options: TreeOptions): void {
    const wasCut = this.isCut
    this.isCut = false
    const counts: Counts = { branch: 0, leaf: 0, overflow: 0, entries: 0 }
    if (tree.root !== noPage)
      this.#attempt(options.name, () =>
        this.#page(tree, options, tree.root, 1, { from: undefined, to: undefined }, counts),
      )
    const isCut = this.isCut
    this.isCut ||= wasCut
    if (isCut) return
    const { branchPages, leafPages, overflowPages, entries } = tree
    const found = [counts.branch, counts.leaf, counts.overflow, counts.entries]
    const recorded = [branchPages, leafPages, overflowPages, entries]
    if (found.some((count, index) => count !== recorded[index]))
      this.#report(
        `${options.name} has ${found.join('/')} branches/leaves/overflows/rows, not ${recorded.join('/')}`,
      )
    if (tree.root === noPage && tree.depth !== 0)
      this.#report(`${options.name} has no root and depth ${tree.depth}`)
  }

  #attempt(name: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      this.#report(`${name}: ${error.message}`)
    }
  }

  #page(
    tree: TreeRecord,
    options: TreeOptions,
    page: number,
    depth: number,
    bounds: PageBounds,
    counts: Counts,
  ): void {
    if (this.usedPages >= this.#limit) {
      this.isCut = true
      return
    }
    const bytes = this.#take(page, 1)
    const flags = bytes.readUInt16LE(18)
    const isLeaf = depth === tree.depth
    if (flags !== (isLeaf ? pageFlags.leaf : pageFlags.branch))
      damaged(`page ${page} is not a ${isLeaf ? 'leaf' : 'branch'}`)
    const nodes = new NodeList(bytes, page, isLeaf)
    if (isLeaf) {
      counts.leaf++
      this.#leaf(tree, options, nodes, bounds, counts)
      return
    }
    counts.branch++
    if (nodes.count < 2 && options.kind !== 'free') damaged(`page ${page} has ${nodes.count} children`)
    const isNumber = options.kind === 'free'
    const starts = Array.from({ length: nodes.count }, (_, index) =>
      index === 0 ? bounds.from : nodes.key(index),
    )
    const isBounded = this.#limit !== Number.POSITIVE_INFINITY
    for (let step = 0; step < nodes.count; step++) {
      const index = isBounded ? nodes.count - 1 - step : step
      const from = starts[index]
      const to = index + 1 < nodes.count ? starts[index + 1] : bounds.to
      if (from && to && compareKeys(from, to, isNumber) >= 0)
        damaged(`the keys of page ${page} are not in order`)
      this.#attempt(options.name, () =>
        this.#page(tree, options, nodes.childPage(index), depth + 1, { from, to }, counts),
      )
    }
  }

  #leaf(tree: TreeRecord, options: TreeOptions, nodes: NodeList, bounds: PageBounds, counts: Counts): void {
    const isNumber = options.kind === 'free'
    let before: Buffer | undefined
    for (let index = 0; index < nodes.count; index++) {
      const key = nodes.key(index)
      if (isNumber && key.length !== 8) damaged(`a key of page ${nodes.page} has ${key.length} bytes`)
      // Each key is above the one before it, so that the first and the last tell of the bounds for all.
      const isInBounds =
        (index > 0 || !bounds.from || compareKeys(bounds.from, key, isNumber) <= 0) &&
        (index < nodes.count - 1 || !bounds.to || compareKeys(key, bounds.to, isNumber) < 0)
      if (!isInBounds || (before && compareKeys(before, key, isNumber) >= 0))
        damaged(`the keys of page ${nodes.page} are not in order`)
      before = key
      this.#attempt(options.name, () => this.#value(tree, options, nodes, index, counts))
    }
  }

  #value(tree: TreeRecord, options: TreeOptions, nodes: NodeList, index: number, counts: Counts): void {
    const flags = nodes.flags(index)
    const key = nodes.key(index)
    const { onRow } = options
    const hasSorted = options.kind === 'table' && (tree.flags & sortedValues) !== 0
    if (options.kind === 'tables') {
      counts.entries++
      if (flags !== nodeFlags.tree) damaged(`"${tableName(key)}" is not a table`)
      options.onTree?.(tableName(key), this.#treeIn(nodes.value(index)))
    } else if (flags === 0) {
      counts.entries++
      onRow?.(key, nodes.value(index))
    } else if (flags === nodeFlags.overflow && !hasSorted) {
      counts.entries++
      const value = this.#overflow(nodes, index, counts)
      if (value !== undefined) onRow?.(key, value)
    } else if (flags === nodeFlags.values && hasSorted) {
      this.#values(options, key, nodes.value(index), nodes.page, counts)
    } else if (flags === (nodeFlags.values | nodeFlags.tree) && hasSorted) {
      const inner = this.#treeIn(nodes.value(index))
      counts.entries += inner.entries
      const onValue: OnRow | undefined = onRow && ((value) => onRow(key, value))
      this.#read(inner, { name: `the values of a key of ${options.name}`, kind: 'table', onRow: onValue })
    } else damaged(`a row of page ${nodes.page} is of unknown kind ${flags}`)
  }

  /** Reads the values of one key that are together in a small page inside of the row. */
  #values(options: TreeOptions, key: Buffer, bytes: Buffer, page: number, counts: Counts): void {
    if (bytes.length < pageHeaderBytes || bytes.readUInt16LE(18) !== (pageFlags.leaf | pageFlags.subPage))
      damaged(`the values of a row of page ${page} are not a page`)
    const values = new NodeList(bytes, page, true)
    let before: Buffer | undefined
    for (let index = 0; index < values.count; index++) {
      const value = values.key(index)
      if (values.flags(index) !== 0 || values.value(index).length !== 0)
        damaged(`a value of page ${page} is of unknown kind`)
      if (before && Buffer.compare(before, value) >= 0) damaged(`the values of page ${page} are not in order`)
      before = value
      counts.entries++
      options.onRow?.(key, value)
    }
  }

  #treeIn(value: Buffer): TreeRecord {
    if (value.length !== treeBytes) damaged(`the record of a tree has ${value.length} bytes`)
    const tree = readTree(value, 0)
    if (tree.depth > 32 || (tree.root === noPage) !== (tree.depth === 0))
      damaged('the record of a tree is wrong')
    return tree
  }

  /** Reads a value on pages of its own; of one with more pages than are left to read only the first, without the value. */
  #overflow(nodes: NodeList, index: number, counts: Counts): Buffer | undefined {
    const reference = nodes.value(index)
    const size = nodes.valueSize(index)
    const page = readUint64(reference, 0)
    const pages = overflowPageCount(size, this.#pageSize)
    if (readUint64(reference, 16) !== pages)
      damaged(`a row of page ${nodes.page} has the wrong number of pages`)
    this.#assertInFile(page, pages)
    const isLong = this.usedPages + pages > this.#limit
    if (isLong) this.isCut = true
    const bytes = this.#take(page, isLong ? 1 : pages)
    if (bytes.readUInt16LE(18) !== pageFlags.overflow || bytes.readUInt32LE(20) !== pages)
      damaged(`page ${page} is not the start of ${pages} pages`)
    counts.overflow += pages
    return isLong ? undefined : bytes.subarray(pageHeaderBytes, pageHeaderBytes + size)
  }

  /** Reads pages that belong to the tree alone. */
  #take(page: number, count: number): Buffer {
    this.#assertInFile(page, count)
    for (let at = page; at < page + count; at++) {
      if (this.isUsed(at)) damaged(`page ${at} is in two places`)
      this.used[at >> 3] = (this.used[at >> 3] as number) | (1 << (at & 7))
    }
    this.usedPages += count
    this.#onRead?.(this.usedPages)
    const bytes = Buffer.allocUnsafeSlow(count * this.#pageSize)
    if (!this.#file.read(bytes, page * this.#pageSize)) damaged(`page ${page} cannot be read`)
    if (readUint64(bytes, 0) !== page) damaged(`page ${page} has another number`)
    const written = readUint64(bytes, 8)
    if (!(written >= 0 && written <= this.#transaction)) damaged(`page ${page} is of transaction ${written}`)
    return bytes
  }

  #assertInFile(page: number, count: number): void {
    if (!(page >= metaPages) || page + count - 1 > this.#lastPage) damaged(`page ${page} is not in the file`)
    if ((page + count) * this.#pageSize > this.#file.size)
      damaged(`page ${page + count - 1} is missing: the file ends at ${this.#file.size} bytes`)
  }
}

/** Returns the name of a table, which lmdb-js ends with a zero. */
const tableName = (key: Buffer): string => key.toString('latin1').replace(/\0$/, '')

const compareKeys = (a: Buffer, b: Buffer, isNumber: boolean): number =>
  isNumber && a.length === 8 && b.length === 8 ? readUint64(a, 0) - readUint64(b, 0) : Buffer.compare(a, b)

/** The nodes of a page, which must fill the space from `upper` to its end exactly, without overlap. */
class NodeList {
  readonly page: number
  readonly count: number
  readonly #bytes: Buffer
  readonly #isLeaf: boolean

  constructor(bytes: Buffer, page: number, isLeaf: boolean) {
    this.page = page
    this.#bytes = bytes
    this.#isLeaf = isLeaf
    const lower = bytes.readUInt16LE(20)
    const upper = bytes.readUInt16LE(22)
    const end = bytes.length - pageHeaderBytes
    if (lower % 2 !== 0 || lower > upper || upper > end) damaged(`page ${page} has a wrong layout`)
    this.count = lower / 2
    if (this.count === 0) damaged(`page ${page} has no rows`)
    const spans = new Uint32Array(this.count)
    for (let index = 0; index < this.count; index++) spans[index] = this.#span(index, end)
    spans.sort()
    let next = upper
    for (const span of spans) {
      if (span >>> 16 !== next) damaged(`page ${page} has a wrong layout`)
      next += span & 0xffff
    }
    if (next !== end) damaged(`page ${page} has a wrong layout`)
  }

  key(index: number): Buffer {
    const at = this.#at(index) + nodeHeaderBytes
    return this.#bytes.subarray(at, at + this.#keySize(index))
  }

  flags(index: number): number {
    return this.#bytes.readUInt16LE(this.#at(index) + 4)
  }

  valueSize(index: number): number {
    return this.#bytes.readUInt32LE(this.#at(index))
  }

  /** Returns the value as it is in the page: of one on overflow pages its reference. */
  value(index: number): Buffer {
    const at = this.#at(index) + nodeHeaderBytes + this.#keySize(index)
    return this.#bytes.subarray(at, at + this.#storedSize(index))
  }

  childPage(index: number): number {
    const at = this.#at(index)
    return this.#bytes.readUInt32LE(at) + this.#bytes.readUInt16LE(at + 4) * 2 ** 32
  }

  #at(index: number): number {
    return this.#bytes.readUInt16LE(pageHeaderBytes + 2 * index) + pageHeaderBytes
  }

  #keySize(index: number): number {
    return this.#bytes.readUInt16LE(this.#at(index) + 6)
  }

  #storedSize(index: number): number {
    if (!this.#isLeaf) return 0
    return this.flags(index) & nodeFlags.overflow ? 24 : this.valueSize(index)
  }

  /** Returns where a node begins, in the upper 16 bits, and its size, so that sorting them is sorting numbers. */
  #span(index: number, end: number): number {
    const start = this.#at(index) - pageHeaderBytes
    if (start % 2 !== 0 || start + nodeHeaderBytes > end) damaged(`page ${this.page} has a wrong layout`)
    const size = toEven(nodeHeaderBytes + this.#keySize(index) + this.#storedSize(index))
    if (start + size > end) damaged(`page ${this.page} has a wrong layout`)
    return start * 2 ** 16 + size
  }
}
