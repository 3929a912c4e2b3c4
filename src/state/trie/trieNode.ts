import { emptyBytes } from '../../base/encoding/bytes.ts'

/**
 * Nodes as they are kept: a row for each branch, at the path where it (or the extension above it) begins. Leaves have
 * no rows: the branch above keeps the leaf's reference and its key, and the value is in the flat table.
 *
 *   branch: flags · children (16 bits) · leaves (16 bits) · [extension: length, nibbles]
 *           · a reference for each child · length and key of each leaf · [the key of the value that ends here]
 *   a trie of one leaf: flags · key
 *
 * A reference is what a parent's encoding holds: a hash, or the whole encoding where that is under 32 bytes.
 */

const isLeafRow = 1
const hasExtension = 2
const hasTerminal = 4
const hasShortRefs = 8

/** The index of the child that is a value at the branch itself (keys of one length never have it). */
export const terminal = 16
/** 16 references of 32 bytes, then their 16 lengths. */
const refLengths = 512
const refBytes = 528
/** The children of a full branch, which are copied at once. */
const allChildren = 0xffff

// One slab for the references of many branches, because an array for each costs more than the rest of the
// node.
const slabBytes = refBytes * 1024
let slab = new Uint8Array(slabBytes)
let slabUsed = 0

export class Leaf {
  readonly key: Uint8Array
  /** The key as the trie orders it; undefined until it is needed. */
  path: Uint8Array | undefined
  /** The value; undefined if it is unchanged and must be read from the flat table. */
  readonly value: Uint8Array | undefined

  constructor(key: Uint8Array, path?: Uint8Array, value?: Uint8Array) {
    this.key = key
    this.path = path
    this.value = value
  }
}

export class Branch {
  /** The nibbles between the path of the row and the branch. */
  extension: Uint8Array
  /** The row from which it was loaded, if it is still at that path. */
  stored: Uint8Array | undefined
  /** The children that have rows, loaded or not, as a bit mask. */
  #nodes = 0
  /** The references that must be computed again, as a bit mask. */
  stale = 0
  /** Whether anything here or below changed. */
  isChanged = false
  readonly #refs: Uint8Array
  readonly #base: number
  readonly #loaded: (Leaf | Branch | undefined)[]
  /** The leaves that are only in the row, all leaves whose keys the row has, and the offset of the keys. */
  #inRow = 0
  readonly #rowLeaves: number
  readonly #row: Uint8Array
  readonly #keysAt: number

  constructor(extension: Uint8Array, row: Uint8Array = emptyBytes, rowLeaves = 0, keysAt = 0) {
    this.#row = row
    this.#inRow = rowLeaves
    this.#rowLeaves = rowLeaves
    this.#keysAt = keysAt
    if (slabUsed === slabBytes) {
      slab = new Uint8Array(slabBytes)
      slabUsed = 0
    }
    this.extension = extension
    this.#refs = slab
    this.#base = slabUsed
    slabUsed += refBytes
    this.#loaded = new Array(17).fill(undefined)
  }

  static decode(stored: Uint8Array, start: number): Branch {
    const flags = stored[start] as number
    const present = ((stored[start + 1] as number) << 8) | (stored[start + 2] as number)
    const leaves = ((stored[start + 3] as number) << 8) | (stored[start + 4] as number)
    let at = start + 5
    let extension = emptyBytes
    if (flags & hasExtension) {
      const end = at + 1 + (stored[at] as number)
      extension = stored.slice(at + 1, end)
      at = end
    }
    const isShort = (flags & hasShortRefs) !== 0
    let keysAt = at
    for (let i = 0; i < 16; i++) {
      if (present & (1 << i)) keysAt += isShort ? 1 + (stored[keysAt] as number) : 32
    }
    const ending = flags & hasTerminal ? 1 << terminal : 0
    const branch = new Branch(extension, stored, leaves | ending, keysAt)
    branch.stored = stored
    branch.#nodes = present & ~leaves
    const refs = branch.#refs
    const base = branch.#base
    if (present === allChildren && !isShort) {
      refs.set(stored.subarray(at, at + refLengths), base)
      refs.fill(32, base + refLengths, base + refBytes)
      return branch
    }
    for (let i = 0; i < 16; i++) {
      if (!(present & (1 << i))) continue
      const length = isShort ? (stored[at++] as number) : 32
      const to = base + i * 32
      for (let j = 0; j < length; j++) refs[to + j] = stored[at + j] as number
      refs[base + refLengths + i] = length
      at += length
    }
    return branch
  }

  has(index: number): boolean {
    return ((this.#nodes | this.#inRow) & (1 << index)) !== 0 || this.#loaded[index] !== undefined
  }

  isNode(index: number): boolean {
    return (this.#nodes & (1 << index)) !== 0
  }

  /** Returns the child if it is a leaf or was loaded. */
  child(index: number): Leaf | Branch | undefined {
    const child = this.#loaded[index]
    if (child || !(this.#inRow & (1 << index))) return child
    let at = this.#keysAt
    for (let i = 0; i < index; i++) if (this.#rowLeaves & (1 << i)) at += 1 + (this.#row[at] as number)
    return new Leaf(this.#row.subarray(at + 1, at + 1 + (this.#row[at] as number)))
  }

  setLoaded(index: number, child: Branch): void {
    this.#loaded[index] = child
  }

  /** Sets or removes a changed child. */
  setChild(index: number, child: Leaf | Branch | undefined): void {
    this.#inRow &= ~(1 << index)
    this.#loaded[index] = child
    this.isChanged = true
    if (child instanceof Branch) this.#nodes |= 1 << index
    else this.#nodes &= ~(1 << index)
    if (child) this.stale |= 1 << index
    else {
      this.stale &= ~(1 << index)
      if (index < terminal) this.#refs[this.#base + refLengths + index] = 0
    }
  }

  /** All references, and then their lengths. */
  get refs(): Uint8Array {
    return this.#refs.subarray(this.#base, this.#base + refBytes)
  }

  refLength(index: number): number {
    return this.#refs[this.#base + refLengths + index] as number
  }

  copyRef(index: number, target: Uint8Array, at: number): number {
    const from = this.#base + index * 32
    const length = this.refLength(index)
    for (let i = 0; i < length; i++) target[at + i] = this.#refs[from + i] as number
    return at + length
  }

  setRef(index: number, source: Uint8Array, length: number): void {
    const to = this.#base + index * 32
    for (let i = 0; i < length; i++) this.#refs[to + i] = source[i] as number
    this.#refs[this.#base + refLengths + index] = length
  }

  /**
   * Writes the row and returns its end. The target needs room for 1,200 bytes, the extension and long keys.
   */
  write(target: Uint8Array, start: number): number {
    let present = 0
    let leaves = 0
    let flags = 0
    for (let i = 0; i < 16; i++) {
      const length = this.refLength(i)
      if (length === 0) continue
      present |= 1 << i
      if (length < 32) flags |= hasShortRefs
      if (!this.isNode(i)) leaves |= 1 << i
    }
    let at = start + 5
    if (this.extension.length > 0) {
      flags |= hasExtension
      target[at] = this.extension.length
      target.set(this.extension, at + 1)
      at += 1 + this.extension.length
    }
    if (present === allChildren && !(flags & hasShortRefs)) {
      target.set(this.#refs.subarray(this.#base, this.#base + refLengths), at)
      at += refLengths
    } else
      for (let i = 0; i < 16; i++) {
        if (!(present & (1 << i))) continue
        if (flags & hasShortRefs) target[at++] = this.refLength(i)
        at = this.copyRef(i, target, at)
      }
    let from = this.#keysAt
    for (let i = 0; i <= terminal; i++) {
      const leaf = this.#loaded[i]
      const rowLength = this.#rowLeaves & (1 << i) ? 1 + (this.#row[from] as number) : 0
      if (leaf instanceof Leaf) {
        target[at++] = leaf.key.length
        at = copyBytes(target, at, leaf.key, 0, leaf.key.length)
      } else if (this.#inRow & (1 << i)) {
        at = copyBytes(target, at, this.#row, from, rowLength)
      }
      from += rowLength
    }
    if (this.has(terminal)) flags |= hasTerminal
    target[start] = flags
    target[start + 1] = present >> 8
    target[start + 2] = present
    target[start + 3] = leaves >> 8
    target[start + 4] = leaves
    return at
  }
}

const copyBytes = (
  target: Uint8Array,
  at: number,
  source: Uint8Array,
  from: number,
  length: number,
): number => {
  for (let i = 0; i < length; i++) target[at + i] = source[from + i] as number
  return at + length
}

/** Returns nibble `index` of a path. */
export const nibble = (path: Uint8Array, index: number): number => {
  const byte = path[index >> 1] as number
  return index & 1 ? byte & 15 : byte >> 4
}

/** Decodes the trie node of a row that starts at `start` of the stored value. */
export const decodeNode = (stored: Uint8Array, start: number): Leaf | Branch =>
  (stored[start] as number) & isLeafRow ? new Leaf(stored.subarray(start + 1)) : Branch.decode(stored, start)

export const writeLeafRow = (target: Uint8Array, at: number, leaf: Leaf): number => {
  target[at] = isLeafRow
  target.set(leaf.key, at + 1)
  return at + 1 + leaf.key.length
}
