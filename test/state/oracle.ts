import { MerklePatriciaTrie, verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { keccak_256 } from '@noble/hashes/sha3.js'

/**
 * The roots that @ethereumjs/mpt finds, and its verdict on proofs. Nothing here comes from the code under test: what
 * it is given are addresses, numbers and lists of bytes.
 */

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export interface OracleAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
}

export interface OracleChange {
  readonly address: Uint8Array
  readonly account: OracleAccount | undefined
  readonly storageCleared: boolean
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

const trimmed = (word: Uint8Array): Uint8Array => {
  const first = word.findIndex((byte) => byte !== 0)
  return first < 0 ? new Uint8Array(0) : word.slice(first)
}

/** Two tries of the library's, over a database that keeps every node, so that it can go back to an earlier root. */
export class Oracle {
  private readonly trie: MerklePatriciaTrie
  private readonly nodes = new Map<string, MerklePatriciaTrie>()
  /** address → storage root now; replaced as a whole at each block. */
  private roots: ReadonlyMap<string, Uint8Array> = new Map()
  private readonly history = new Map<number, { root: Uint8Array; roots: ReadonlyMap<string, Uint8Array> }>()

  constructor() {
    this.trie = new MerklePatriciaTrie({ useKeyHashing: true })
  }

  async block(height: number, changes: readonly OracleChange[]): Promise<Uint8Array> {
    const roots = new Map(this.roots)
    for (const { address, account, storageCleared, storage } of changes) {
      const name = hex(address)
      if (!account) {
        roots.delete(name)
        await this.trie.del(address)
        continue
      }
      let slots = this.nodes.get(name)
      if (!slots) {
        slots = new MerklePatriciaTrie({ useKeyHashing: true })
        this.nodes.set(name, slots)
      }
      slots.root(storageCleared || !roots.has(name) ? slots.EMPTY_TRIE_ROOT : (roots.get(name) as Uint8Array))
      for (const [slot, value] of storage) {
        const bytes = trimmed(value)
        if (bytes.length === 0) await slots.del(slot)
        else await slots.put(slot, RLP.encode(bytes))
      }
      roots.set(name, slots.root())
      await this.trie.put(
        address,
        RLP.encode([account.nonce, account.balance, slots.root(), account.codeHash]),
      )
    }
    this.roots = roots
    this.history.set(height, { root: this.trie.root(), roots })
    return this.trie.root()
  }

  rewind(height: number): void {
    const { root, roots } = this.history.get(height) as {
      root: Uint8Array
      roots: ReadonlyMap<string, Uint8Array>
    }
    this.trie.root(root)
    this.roots = roots
  }

  rootAt(height: number): Uint8Array {
    return this.history.get(height)?.root as Uint8Array
  }

  storageRootAt(height: number, address: Uint8Array): Uint8Array | undefined {
    return this.history.get(height)?.roots.get(hex(address))
  }
}

export const emptyTrieRoot = keccak_256(Uint8Array.of(0x80))

/** What a proof says of a key under a root: its value, or null; throws where it proves neither. */
export const verify = async (
  root: Uint8Array,
  key: Uint8Array,
  proof: readonly Uint8Array[],
): Promise<Uint8Array | null> => {
  if (proof.length === 0) {
    if (hex(root) !== hex(emptyTrieRoot)) throw new Error('an empty proof for a trie that is not empty')
    return null
  }
  if (hex(keccak_256(proof[0] as Uint8Array)) !== hex(root))
    throw new Error('the proof begins at another root')
  return verifyMerkleProof(key, [...proof], { useKeyHashing: true, root } as never)
}

export const accountValue = (account: OracleAccount, storageRoot: Uint8Array): Uint8Array =>
  RLP.encode([account.nonce, account.balance, storageRoot, account.codeHash])

export const slotValue = (value: Uint8Array): Uint8Array => RLP.encode(trimmed(value))
