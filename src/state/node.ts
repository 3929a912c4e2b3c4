import { noBytes } from '../base/bytes.ts'

/**
 * Nodes as they are kept: a row for each branch, at the path where it (or the extension above it) begins. Leaves have
 * no row of their own: the branch above keeps the leaf's reference and its key, and the value is in the flat table.
 *
 *   branch: flags · children (16 bits) · leaves (16 bits) · [extension: length, nibbles]
 *           · a reference for each child · a key for each leaf · [the key of the value that ends here]
 *   a trie of one leaf: flags · key
 *
 * A reference is what a parent's encoding holds: a hash, or the whole encoding where that is under 32 bytes.
 */

const isLeafRow = 1
const hasExtension = 2
const hasTerminal = 4
const hasShortRefs = 8

/** The child that stands for a value at the branch itself (keys of one length never have it). */
export const terminal = 16
/** Where the lengths of a branch's references begin, after the references. */
const refLengths = 512

export class Leaf {
  readonly key: Uint8Array
  /** The key as the trie orders it; undefined until it is needed. */
  path: Uint8Array | undefined
  /** Undefined: as it was, to be read where it is kept. */
  value: Uint8Array | undefined

  constructor(key: Uint8Array, path?: Uint8Array, value?: Uint8Array) {
    this.key = key
    this.path = path
    this.value = value
  }
}

export class Branch {
  /** Nibbles between the path of the row and the branch. */
  extension: Uint8Array
  /** 16 slots of 32 bytes, then the 16 lengths; zero where there is no child. */
  readonly refs: Uint8Array
  /** Leaves, and those nodes that were loaded. */
  readonly children: (Leaf | Branch | undefined)[]
  /** Which children are rows of their own, loaded or not. */
  nodes = 0
  /** Which references must be made again. */
  stale = 0
  /** Whether anything here or below changed. */
  isChanged = false
  /** Whether a row of it is in the store, at the path it was loaded from. */
  isStored = false

  constructor(extension: Uint8Array, refs: Uint8Array = new Uint8Array(refLengths + 16)) {
    this.extension = extension
    this.refs = refs
    this.children = new Array(17).fill(undefined)
  }

  has(index: number): boolean {
    return this.children[index] !== undefined || (this.nodes & (1 << index)) !== 0
  }

  refLength(index: number): number {
    return this.refs[refLengths + index] as number
  }

  ref(index: number): Uint8Array {
    return this.refs.subarray(index * 32, index * 32 + this.refLength(index))
  }

  setRef(index: number, source: Uint8Array, start: number, length: number): void {
    for (let i = 0; i < length; i++) this.refs[index * 32 + i] = source[start + i] as number
    this.refs[refLengths + index] = length
  }

  /** Puts a changed child (or none) in a place. */
  setChild(index: number, child: Leaf | Branch | undefined): void {
    this.children[index] = child
    this.isChanged = true
    if (child instanceof Branch) this.nodes |= 1 << index
    else this.nodes &= ~(1 << index)
    if (child) this.stale |= 1 << index
    else {
      this.stale &= ~(1 << index)
      if (index < terminal) this.refs[refLengths + index] = 0
    }
  }
}

/** Nibble `index` of a path. */
export const nibble = (path: Uint8Array, index: number): number => {
  const byte = path[index >> 1] as number
  return index & 1 ? byte & 15 : byte >> 4
}

export const decodeRow = (row: Uint8Array): Leaf | Branch => {
  const flags = row[0] as number
  if (flags & isLeafRow) return new Leaf(row.subarray(1))
  const present = ((row[1] as number) << 8) | (row[2] as number)
  const leaves = ((row[3] as number) << 8) | (row[4] as number)
  let at = 5
  let extension = noBytes
  if (flags & hasExtension) {
    at += 1 + (row[5] as number)
    extension = row.slice(6, at)
  }
  const branch = new Branch(extension)
  branch.isStored = true
  branch.nodes = present & ~leaves
  const { refs } = branch
  const short = (flags & hasShortRefs) !== 0
  for (let i = 0; i < 16; i++) {
    if (!(present & (1 << i))) continue
    const length = short ? (row[at++] as number) : 32
    for (let j = 0; j < length; j++) refs[i * 32 + j] = row[at + j] as number
    refs[refLengths + i] = length
    at += length
  }
  for (let i = 0; i < 16; i++) {
    if (!(leaves & (1 << i))) continue
    const end = at + 1 + (row[at] as number)
    branch.children[i] = new Leaf(row.subarray(at + 1, end))
    at = end
  }
  if (flags & hasTerminal) branch.children[terminal] = new Leaf(row.subarray(at + 1))
  return branch
}

export const leafRow = (leaf: Leaf): Uint8Array => {
  const row = new Uint8Array(1 + leaf.key.length)
  row[0] = isLeafRow
  row.set(leaf.key, 1)
  return row
}

/** Writes a branch's row and returns its end. Room for 1,200 bytes and the extension is enough. */
export const writeBranchRow = (target: Uint8Array, start: number, branch: Branch): number => {
  const { refs, children, extension } = branch
  let present = 0
  let leaves = 0
  let flags = 0
  for (let i = 0; i < 16; i++) {
    const length = refs[refLengths + i] as number
    if (length === 0) continue
    present |= 1 << i
    if (length < 32) flags |= hasShortRefs
    if (children[i] instanceof Leaf) leaves |= 1 << i
  }
  let at = start + 5
  if (extension.length > 0) {
    flags |= hasExtension
    target[at] = extension.length
    target.set(extension, at + 1)
    at += 1 + extension.length
  }
  for (let i = 0; i < 16; i++) {
    const length = refs[refLengths + i] as number
    if (length === 0) continue
    if (flags & hasShortRefs) target[at++] = length
    for (let j = 0; j < length; j++) target[at + j] = refs[i * 32 + j] as number
    at += length
  }
  for (let i = 0; i < 17; i++) {
    const leaf = children[i]
    if (!(leaf instanceof Leaf)) continue
    if (i === terminal) flags |= hasTerminal
    target[at] = leaf.key.length
    target.set(leaf.key, at + 1)
    at += 1 + leaf.key.length
  }
  target[start] = flags
  target[start + 1] = present >> 8
  target[start + 2] = present
  target[start + 3] = leaves >> 8
  target[start + 4] = leaves
  return at
}
