import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes, toBigInt } from '../../base/encoding/bytes.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../base/encoding/rlp.ts'
import { emptyTrieRoot } from '../../chain/block/trieRoot.ts'
import { encodeAccountLeaf } from '../../chain/state/accountLeaf.ts'
import type { AccountChange, StateChanges } from '../../chain/state/evmState.ts'
import { encodeInteger } from '../../chain/transaction/encode.ts'
import { accountOf, noAccount } from './trieValue.ts'

/** Thrown for a node that the new root needs and that is not there. */
export class MissingTrieNode extends Error {
  override readonly name = 'MissingTrieNode'
}

type Nibbles = readonly number[]
/** A node in memory, or how its parent refers to it. */
type Ref = Node | RlpItem
type Node =
  | { readonly kind: 'leaf'; readonly path: Nibbles; readonly value: Uint8Array }
  | { readonly kind: 'extension'; readonly path: Nibbles; readonly child: Ref }
  | { readonly kind: 'branch'; readonly children: readonly (Ref | undefined)[] }

type Load = (hash: Uint8Array) => Uint8Array | undefined

const nibblesOf = (bytes: Uint8Array): Nibbles => [...bytes].flatMap((byte) => [byte >> 4, byte & 15])

const decodePath = (bytes: Uint8Array): { readonly path: Nibbles; readonly isLeaf: boolean } => {
  const all = nibblesOf(bytes)
  const mark = all[0] ?? 0
  return { path: all.slice(mark & 1 ? 1 : 2), isLeaf: (mark & 2) !== 0 }
}

const encodePath = (path: Nibbles, isLeaf: boolean): Uint8Array => {
  const isOdd = path.length % 2 === 1
  const all = [(isLeaf ? 2 : 0) | (isOdd ? 1 : 0), ...(isOdd ? [] : [0]), ...path]
  return Uint8Array.from(
    { length: all.length / 2 },
    (_, at) => ((all[2 * at] ?? 0) << 4) | (all[2 * at + 1] ?? 0),
  )
}

const isNode = (ref: Ref): ref is Node => 'kind' in ref

/** A trie of which only some nodes are known, changed in memory. Keys are hashed, and no key is the beginning of another. */
class PartialTrie {
  readonly #load: Load

  constructor(load: Load) {
    this.#load = load
  }

  /** Returns the trie with a value at a path; undefined takes the path out. */
  set(ref: Ref | undefined, path: Nibbles, value: Uint8Array | undefined): Ref | undefined {
    if (ref === undefined) return value && { kind: 'leaf', path, value }
    const node = this.#open(ref)
    if (node.kind === 'branch') return this.#setInBranch(node.children, path, value)
    const shared = sharedLength(node.path, path)
    if (node.kind === 'leaf' && shared === path.length) return value && { ...node, value }
    if (node.kind === 'extension' && shared === node.path.length) {
      const child = this.set(node.child, path.slice(shared), value)
      return child && this.#extend(node.path, child)
    }
    if (value === undefined) return node
    const children: (Ref | undefined)[] = new Array(16).fill(undefined)
    const rest = node.path.slice(shared + 1)
    const at = node.path[shared] as number
    if (node.kind === 'leaf') children[at] = { ...node, path: rest }
    else children[at] = rest.length === 0 ? node.child : { ...node, path: rest }
    children[path[shared] as number] = { kind: 'leaf', path: path.slice(shared + 1), value }
    return this.#extend(path.slice(0, shared), { kind: 'branch', children })
  }

  root(ref: Ref | undefined): Uint8Array {
    if (ref === undefined) return emptyTrieRoot
    return ref instanceof Uint8Array ? ref : keccak256(this.#encode(ref))
  }

  #setInBranch(
    before: readonly (Ref | undefined)[],
    path: Nibbles,
    value: Uint8Array | undefined,
  ): Ref | undefined {
    const [at = 0, ...rest] = path
    const child = this.set(before[at], rest, value)
    const children = before.with(at, child)
    if (child !== undefined) return { kind: 'branch', children }
    const left = children.flatMap((one, index) => (one === undefined ? [] : [index]))
    const [only] = left
    if (only === undefined) return undefined
    // A branch with one child is that child, whose path begins with its place.
    return left.length > 1 ? { kind: 'branch', children } : this.#extend([only], children[only] as Ref)
  }

  /** Returns a node under a path before it. */
  #extend(path: Nibbles, ref: Ref): Ref {
    if (path.length === 0) return ref
    const node = this.#open(ref)
    if (node.kind === 'branch') return { kind: 'extension', path, child: ref }
    return { ...node, path: [...path, ...node.path] }
  }

  /** Returns the value at a path; undefined if there is none. */
  get(ref: Ref | undefined, path: Nibbles): Uint8Array | undefined {
    if (ref === undefined) return undefined
    const node = this.#open(ref)
    if (node.kind === 'branch') return this.get(node.children[path[0] as number], path.slice(1))
    const shared = sharedLength(node.path, path)
    if (shared < node.path.length) return undefined
    return node.kind === 'leaf' ? node.value : this.get(node.child, path.slice(shared))
  }

  #open(ref: Ref): Node {
    if (isNode(ref)) return ref
    let list: RlpItem = ref
    if (ref instanceof Uint8Array) {
      const bytes = this.#load(ref)
      if (bytes === undefined) throw new MissingTrieNode()
      list = decodeRlp(bytes)
    }
    const items = list as readonly RlpItem[] // nodes of a proven root are lists
    if (items.length === 17)
      return {
        kind: 'branch',
        children: items.slice(0, 16).map((item) => (item.length === 0 ? undefined : item)),
      }
    const [encoded, second] = items as readonly [Uint8Array, RlpItem] // a leaf or an extension
    const { path, isLeaf } = decodePath(encoded)
    return isLeaf
      ? { kind: 'leaf', path, value: second as Uint8Array }
      : { kind: 'extension', path, child: second }
  }

  #encode(ref: Ref): Uint8Array {
    return encodeRlp(this.#toItem(ref) as never)
  }

  #toItem(ref: Ref): RlpItem {
    if (!isNode(ref)) return ref
    if (ref.kind === 'leaf') return [encodePath(ref.path, true), ref.value]
    if (ref.kind === 'extension') return [encodePath(ref.path, false), this.#reference(ref.child)]
    return [
      ...ref.children.map((child) => (child === undefined ? new Uint8Array(0) : this.#reference(child))),
      new Uint8Array(0),
    ]
  }

  /** How a parent refers to a node: by its hash, or whole if that is shorter. */
  #reference(ref: Ref): RlpItem {
    if (!isNode(ref)) return ref
    const item = this.#toItem(ref)
    const encoded = encodeRlp(item as never)
    return encoded.length < 32 ? item : keccak256(encoded)
  }
}

const sharedLength = (one: Nibbles, other: Nibbles): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

/**
 * Returns changes with what takes something out at the end: a branch that is left with one child needs that child's node, and
 * none that has another one added needs it. So no node is needed that the new trie does not.
 */
const removalsLast = <Change>(changes: readonly Change[], isRemoval: (change: Change) => boolean) => [
  ...changes.filter((change) => !isRemoval(change)),
  ...changes.filter(isRemoval),
]

/** Returns the state root after changes, from the nodes that are known. Throws `MissingTrieNode` if they are too few. */
export const rootAfter = (
  load: Load,
  root: Uint8Array,
  { accounts }: Pick<StateChanges, 'accounts'>,
): Uint8Array => {
  const trie = new PartialTrie(load)
  let state: Ref | undefined = equalBytes(root, emptyTrieRoot) ? undefined : root
  for (const change of removalsLast(accounts, ({ account }) => account === undefined)) {
    const path = nibblesOf(keccak256(change.address))
    state = trie.set(state, path, leafAfter(trie, state, change))
  }
  return trie.root(state)
}

const isZero = (word: Uint8Array): boolean => word.every((byte) => byte === 0)

const leafAfter = (
  trie: PartialTrie,
  state: Ref | undefined,
  { address, account, storageCleared, storage }: AccountChange,
): Uint8Array | undefined => {
  if (account === undefined) return undefined
  const before = storageCleared ? emptyTrieRoot : storageRootOf(trie, state, address)
  let slots: Ref | undefined = equalBytes(before, emptyTrieRoot) ? undefined : before
  for (const [slot, value] of removalsLast([...storage], ([, one]) => isZero(one)))
    slots = trie.set(
      slots,
      nibblesOf(keccak256(slot)),
      isZero(value) ? undefined : encodeRlp(encodeInteger(toBigInt(value))),
    )
  return encodeAccountLeaf({ ...account, storageRoot: trie.root(slots) })
}

const storageRootOf = (trie: PartialTrie, state: Ref | undefined, address: Uint8Array): Uint8Array => {
  const leaf = trie.get(state, nibblesOf(keccak256(address)))
  return (leaf === undefined ? noAccount : accountOf(leaf)).storageRoot
}
