import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { decodeRlp, type RlpItem } from '../../base/encoding/rlp.ts'
import { emptyTrieRoot } from '../../chain/block/trieRoot.ts'
import type { AccountView } from '../../chain/state/accountLeaf.ts'
import { type Account, type EvmStateReader, emptyCodeHash } from '../../chain/state/evmState.ts'
import type { NodeStore } from './nodeStore.ts'
import { ProofError } from './proofFields.ts'
import { decoded, walkTrie } from './trieProof.ts'
import { accountOf, slotWord } from './trieValue.ts'

/** What is read of a state and not proven yet. */
export interface MissingValue {
  readonly address: Uint8Array
  readonly slot?: Uint8Array | undefined
  readonly hasCode?: boolean | undefined
}

/** An account with what is missing of it. */
export interface MissingAccount {
  readonly address: Uint8Array
  readonly slots: Uint8Array[]
  hasCode: boolean
}

/** Joins the missing values of each account. */
export const groupByAccount = (values: readonly MissingValue[]): readonly MissingAccount[] => {
  const accounts = new Map<string, MissingAccount>()
  for (const { address, slot, hasCode } of values) {
    const id = toHex(address)
    const account = accounts.get(id) ?? { address, slots: [], hasCode: false }
    accounts.set(id, account)
    if (slot !== undefined) account.slots.push(slot)
    if (hasCode) account.hasCode = true
  }
  return [...accounts.values()]
}

/** Thrown for a value whose nodes are not there: who runs on the state asks for them, and starts over. */
export class MissingValueError extends Error {
  override readonly name = 'MissingValueError'
  readonly missing: MissingValue

  constructor(missing: MissingValue) {
    super('a value of the state is not proven yet')
    this.missing = missing
  }
}

/** Thrown for a node that is not there. */
class MissingNode extends Error {}

/** The state of a proven root, known as far as nodes show it. */
export class ProvenState implements EvmStateReader {
  readonly #store: NodeStore
  readonly #root: Uint8Array
  /** Whose code has which hash, so that missing code can be requested. */
  readonly #owners = new Map<string, Uint8Array>()

  constructor(store: NodeStore, root: Uint8Array) {
    this.#store = store
    this.#root = root
  }

  account(address: Uint8Array): Account | undefined {
    return this.view(address)
  }

  /** Returns the account as the trie has it; undefined if it is proven that there is none. */
  view(address: Uint8Array): AccountView | undefined {
    const leaf = this.#read(this.#root, address, { address })
    if (leaf === undefined) return undefined
    const account = accountOf(leaf)
    this.#owners.set(toHex(account.codeHash), address.slice())
    return account
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const root = this.view(address)?.storageRoot ?? emptyTrieRoot
    if (equalBytes(root, emptyTrieRoot)) return new Uint8Array(32)
    const stored = this.#read(root, slot, { address, slot })
    return stored === undefined ? new Uint8Array(32) : slotWord(stored)
  }

  code(codeHash: Uint8Array): Uint8Array {
    if (equalBytes(codeHash, emptyCodeHash)) return emptyBytes
    const code = this.#store.get(codeHash)
    if (code !== undefined) return code
    const address = this.#owners.get(toHex(codeHash))
    if (address === undefined) throw new Error('code is read of an account that was not')
    throw new MissingValueError({ address, hasCode: true })
  }

  hasStorage(address: Uint8Array): boolean {
    return !equalBytes(this.view(address)?.storageRoot ?? emptyTrieRoot, emptyTrieRoot)
  }

  /** Returns whether a value is proven already. */
  knows({ address, slot, hasCode }: MissingValue): boolean {
    try {
      const account = this.view(address)
      if (slot !== undefined) this.storage(address, slot)
      if (hasCode && account !== undefined) this.code(account.codeHash)
      return true
    } catch (error) {
      if (!(error instanceof MissingValueError)) throw error
      return false
    }
  }

  /** Returns the nodes that prove an account, or a slot of it, from the root down. */
  proof(address: Uint8Array, slot?: Uint8Array): readonly Uint8Array[] {
    const nodes: Uint8Array[] = []
    if (slot === undefined) {
      this.#read(this.#root, address, { address }, nodes)
      return nodes
    }
    const root = this.view(address)?.storageRoot ?? emptyTrieRoot
    if (!equalBytes(root, emptyTrieRoot)) this.#read(root, slot, { address, slot }, nodes)
    return nodes
  }

  #read(
    root: Uint8Array,
    key: Uint8Array,
    missing: MissingValue,
    visited?: Uint8Array[],
  ): Uint8Array | undefined {
    if (equalBytes(root, emptyTrieRoot)) return undefined
    const follow = (reference: RlpItem): readonly RlpItem[] => {
      if (!(reference instanceof Uint8Array)) return reference
      if (reference.length !== 32) throw new ProofError('it has an invalid reference')
      const node = this.#store.get(reference)
      if (node === undefined) throw new MissingNode()
      visited?.push(node)
      const list = decodeRlp(node)
      if (list instanceof Uint8Array) throw new ProofError('it has an invalid node')
      return list
    }
    try {
      return decoded(() => walkTrie(root, keccak256(key), { follow }))
    } catch (error) {
      if (!(error instanceof MissingNode)) throw error
      const { address, slot } = missing
      throw new MissingValueError({ address: address.slice(), slot: slot?.slice() })
    }
  }
}
