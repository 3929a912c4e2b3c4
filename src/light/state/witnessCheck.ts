import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { decodeRlp, type RlpItem } from '../../base/encoding/rlp.ts'
import type { CallWitness } from '../../chain/port/executor.ts'
import { ProofError } from './proofFields.ts'
import { decoded } from './trieProof.ts'
import { accountOf } from './trieValue.ts'

/** What is in a witness and not of the state that it is said to be of. */
export interface WitnessFault {
  readonly problem: string
  readonly item: Uint8Array
}

type Trie = 'state' | 'storage'

interface Reference {
  readonly to: RlpItem
  readonly trie: Trie
}

const isHash = (item: RlpItem): item is Uint8Array => item instanceof Uint8Array && item.length === 32

/** Returns what a node leads to: its children, or what the account of a leaf has. */
const read = (list: readonly RlpItem[], trie: Trie, codeHashes: Set<string>): readonly Reference[] => {
  if (list.length === 17) return list.slice(0, 16).map((to) => ({ to, trie }))
  const [path, second] = list
  if (list.length !== 2 || !(path instanceof Uint8Array) || second === undefined)
    throw new ProofError('it has an invalid node')
  const isLeaf = ((path[0] ?? 0) & 0x20) !== 0
  if (!isLeaf) return [{ to: second, trie }]
  if (trie === 'storage') return []
  if (!(second instanceof Uint8Array)) throw new ProofError('it has an invalid leaf')
  const { storageRoot, codeHash } = accountOf(second)
  codeHashes.add(toHex(codeHash))
  return [{ to: storageRoot, trie: 'storage' }]
}

/**
 * Looks for what is not of the state of a root: nodes to which no other one leads, and codes that no account in the witness
 * has. A node that keeps the state cannot have read such things. What is left out is not found here.
 */
export function* findWitnessFault(
  stateRoot: Uint8Array,
  { nodes, codes }: Pick<CallWitness, 'nodes' | 'codes'>,
): Generator<undefined, WitnessFault | undefined> {
  const unread = new Map<string, Uint8Array>()
  for (const node of nodes) {
    unread.set(toHex(keccak256(node)), node)
    yield
  }
  const known = new Map(unread)
  const codeHashes = new Set<string>()
  const visited = new Set<string>()
  const references: Reference[] = [{ to: stateRoot, trie: 'state' }]
  for (let next = references.pop(); next !== undefined; next = references.pop()) {
    const { to, trie } = next
    if (!(to instanceof Uint8Array)) {
      references.push(...read(to, trie, codeHashes))
      continue
    }
    if (!isHash(to)) continue
    const hash = toHex(to)
    const node = known.get(hash)
    const id = `${trie} ${hash}`
    if (node === undefined || visited.has(id)) continue
    visited.add(id)
    unread.delete(hash)
    try {
      const list = decoded(() => decodeRlp(node))
      if (list instanceof Uint8Array) throw new ProofError('it has an invalid node')
      references.push(...read(list, trie, codeHashes))
    } catch (error) {
      if (!(error instanceof ProofError)) throw error
      return { problem: error.message, item: node }
    }
    yield
  }
  const [stray] = unread.values()
  if (stray !== undefined) return { problem: 'it has a node that is not of the state', item: stray }
  for (const code of codes) {
    yield
    if (!codeHashes.has(toHex(keccak256(code))))
      return { problem: 'it has a code that no account in it has', item: code }
  }
  return undefined
}
