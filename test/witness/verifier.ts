import {
  BranchMPTNode,
  decodeMPTNode,
  decodeRawMPTNode,
  ExtensionMPTNode,
  LeafMPTNode,
  MerklePatriciaTrie,
} from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { ValueEncoding } from '@ethereumjs/util'
import { inputsOfBlock } from '../../src/app/blockInputs.ts'
import { executeBlock } from '../../src/app/executeBlock.ts'
import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { decodeBlock } from '../../src/chain/block/block.ts'
import { decodeHeader } from '../../src/chain/block/header.ts'
import { type ChainConfig, forkOfHeader } from '../../src/chain/config/chainConfig.ts'
import type { Account, EvmStateReader, StateChanges } from '../../src/chain/state/evmState.ts'
import { recoverSender } from '../../src/chain/transaction/signature.ts'
import { createEvm, type Evm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'

/** What `debug_executionWitness` answers. */
export interface ExecutionWitness {
  readonly state: readonly string[]
  readonly codes: readonly string[]
  readonly keys: readonly string[]
  readonly headers: readonly string[]
}

const emptyRoot = keccak256(Uint8Array.of(0x80))
const nameOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const modules = await loadEvmModules()

type RawNode = Parameters<typeof decodeRawMPTNode>[0]

/** Trie nodes by their hash, and no others. */
class WitnessNodes {
  /** The nodes that were read. */
  readonly read = new Set<string>()
  readonly #nodes: Map<string, Uint8Array>

  constructor(state: readonly string[]) {
    this.#nodes = new Map(state.map(fromHex).map((node) => [nameOf(keccak256(node)), node]))
  }

  /** Returns the value of a key under a root; throws if the nodes do not tell. */
  get(root: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    if (nameOf(root) === nameOf(emptyRoot)) return undefined
    const path = [...nameOf(keccak256(key))].map((digit) => Number.parseInt(digit, 16))
    let node = this.#load(root)
    for (let at = 0; ; ) {
      if (node instanceof LeafMPTNode)
        return node.key().join() === path.slice(at).join() ? (node.value() ?? undefined) : undefined
      const next = node instanceof BranchMPTNode ? path.slice(at, at + 1) : node.key()
      if (next.join() !== path.slice(at, at + next.length).join()) return undefined
      at += next.length
      const child = node instanceof ExtensionMPTNode ? node.value() : node.getBranch(next[0] as number)
      if (child === null || child.length === 0) return undefined
      node = child instanceof Uint8Array ? this.#load(child) : decodeRawMPTNode(child as RawNode)
    }
  }

  /** Returns a trie that can be changed, over the nodes. */
  openTrie(root: Uint8Array): MerklePatriciaTrie {
    const nodes = new Map<string, Uint8Array>()
    const database = {
      get: async (key: string) => nodes.get(key) ?? this.#nodes.get(key),
      put: async (key: string, value: string | Uint8Array) => {
        nodes.set(key, value as Uint8Array) // the encoding that is asked for below
      },
      del: async () => {},
      batch: async (operations: readonly { type: string; key: string; value?: unknown }[]) => {
        for (const { type, key, value } of operations) if (type === 'put') nodes.set(key, value as Uint8Array)
      },
      shallowCopy: () => database,
      open: async () => {},
    }
    return new MerklePatriciaTrie({
      db: database as never,
      root,
      useKeyHashing: true,
      useKeyHashingFunction: keccak256,
      valueEncoding: ValueEncoding.Bytes,
    })
  }

  #load(hash: Uint8Array): BranchMPTNode | ExtensionMPTNode | LeafMPTNode {
    const node = this.#nodes.get(nameOf(hash))
    if (node === undefined) throw new Error(`the witness has no node ${toHex(hash)}`)
    this.read.add(nameOf(hash))
    return decodeMPTNode(node)
  }
}

interface ProvenAccount extends Account {
  readonly storageRoot: Uint8Array
}

const integer = (bytes: Uint8Array): bigint => BigInt(`0x${nameOf(bytes) || '0'}`)

/** The state that a witness proves, under the root of the parent. */
class WitnessState implements EvmStateReader {
  readonly nodes: WitnessNodes
  readonly #root: Uint8Array
  readonly #codes: Map<string, Uint8Array>

  constructor(root: Uint8Array, { state, codes }: ExecutionWitness) {
    this.#root = root
    this.nodes = new WitnessNodes(state)
    this.#codes = new Map(codes.map(fromHex).map((code) => [nameOf(keccak256(code)), code]))
  }

  account(address: Uint8Array): ProvenAccount | undefined {
    const value = this.nodes.get(this.#root, address)
    if (value === undefined) return undefined
    const [nonce, balance, storageRoot, codeHash] = RLP.decode(value) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    return { nonce: integer(nonce), balance: integer(balance), storageRoot, codeHash }
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const value = this.nodes.get(this.account(address)?.storageRoot ?? emptyRoot, slot)
    const word = new Uint8Array(32)
    if (value === undefined) return word
    const bytes = RLP.decode(value) as Uint8Array
    word.set(bytes, 32 - bytes.length)
    return word
  }

  code(codeHash: Uint8Array): Uint8Array {
    if (nameOf(codeHash) === nameOf(keccak256(new Uint8Array(0)))) return new Uint8Array(0)
    const code = this.#codes.get(nameOf(codeHash))
    if (code === undefined) throw new Error(`the witness has no code ${toHex(codeHash)}`)
    return code
  }

  hasStorage(address: Uint8Array): boolean {
    const root = this.account(address)?.storageRoot ?? emptyRoot
    return nameOf(root) !== nameOf(emptyRoot)
  }

  /** Returns the root after changes. What is set comes before what is removed, so that no branch is merged in between. */
  async rootAfter({ accounts }: StateChanges): Promise<Uint8Array> {
    const trie = this.nodes.openTrie(this.#root)
    for (const { address, account, storage, storageCleared } of accounts) {
      if (account === undefined) continue
      const before = storageCleared ? undefined : this.account(address)?.storageRoot
      const slots = this.nodes.openTrie(before ?? emptyRoot)
      const trimmed = storage.map(([slot, word]) => [slot, trim(word)] as const)
      for (const [slot, value] of trimmed) if (value.length > 0) await slots.put(slot, RLP.encode(value))
      for (const [slot, value] of trimmed) if (value.length === 0) await slots.del(slot)
      const { nonce, balance, codeHash } = account
      await trie.put(address, RLP.encode([nonce, balance, slots.root(), codeHash]))
    }
    for (const { address, account } of accounts) if (account === undefined) await trie.del(address)
    return trie.root()
  }
}

const trim = (word: Uint8Array): Uint8Array => {
  const first = word.findIndex((byte) => byte !== 0)
  return first < 0 ? new Uint8Array(0) : word.slice(first)
}

const assertEqual = (what: string, found: Uint8Array, wanted: Uint8Array): void => {
  if (nameOf(found) !== nameOf(wanted)) throw new Error(`${what}: ${toHex(found)}, not ${toHex(wanted)}`)
}

/** Returns the hashes of the headers by number; throws if they are not the block's ancestors. */
const readHeaders = (headers: readonly string[], parentHash: Uint8Array) => {
  const hashes = new Map<bigint, Uint8Array>()
  let wanted = parentHash
  const decoded = headers.map(fromHex).map((rlp) => ({ header: decodeHeader(rlp), hash: keccak256(rlp) }))
  for (const { header, hash } of decoded.reverse()) {
    assertEqual(`header ${header.number}`, hash, wanted)
    hashes.set(header.number, hash)
    wanted = header.parentHash
  }
  const [parent] = decoded
  if (parent === undefined) throw new Error('the witness has no header')
  return { parent, hashes }
}

export interface Verified {
  readonly transactions: number
  /** How many nodes only the new root needs: those that take the place of a branch. */
  readonly mergedNodes: number
}

/** Returns an EVM that has read no code. */
export const newEvm = (): Evm => createEvm(modules, precompilesAt)

/**
 * Executes a block on nothing but its witness; throws if anything is missing, or if any part of the header differs. With an
 * EVM that was used before, missing code may not be found out.
 */
export const verifyWitness = async (
  config: ChainConfig,
  blockRlp: Uint8Array,
  witness: ExecutionWitness,
  evm: Evm = newEvm(),
): Promise<Verified> => {
  const block = decodeBlock(blockRlp)
  const { header, transactions } = block
  const { parent, hashes } = readHeaders(witness.headers, header.parentHash)
  const state = new WitnessState(parent.header.stateRoot, witness)
  const fork = forkOfHeader(config, header)
  const outcome = executeBlock(
    {
      evm,
      config,
      state,
      blockHash: (number) => {
        const hash = hashes.get(number)
        if (hash === undefined) throw new Error(`the witness has no header ${number}`)
        return hash
      },
      stateRoot: () => {
        throw new Error('receipts with roots are not verified here')
      },
    },
    inputsOfBlock(parent, block),
    transactions.map(({ transaction, raw }) => {
      const sender = recoverSender(transaction, fork)
      if (sender === undefined) throw new Error('a transaction has no sender')
      return { transaction, raw, hash: keccak256(raw), sender }
    }),
  )
  if (outcome.transactions.length !== transactions.length) throw new Error('a transaction is not valid')
  assertEqual('receipts', outcome.header.receiptsRoot, header.receiptsRoot)
  if (outcome.header.gasUsed !== header.gasUsed) throw new Error(`gas ${outcome.header.gasUsed}`)
  if (header.requestsHash !== undefined)
    assertEqual('requests', outcome.header.requestsHash ?? new Uint8Array(0), header.requestsHash)
  assertEqual('state root', await state.rootAfter(outcome.changes), header.stateRoot)
  return { transactions: transactions.length, mergedNodes: witness.state.length - state.nodes.read.size }
}
