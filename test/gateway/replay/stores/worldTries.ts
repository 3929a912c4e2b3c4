import { RLP } from '@ethereumjs/rlp'
import { concatBytes, emptyBytes, toBigInt } from '../../../../src/base/encoding/bytes.ts'
import { fromHex, toHex } from '../../../../src/base/encoding/hex.ts'
import { base64 } from '../block/cometJson.ts'
import { compact, keccak } from '../block/signing.ts'
import { type Trie, trieOf } from '../block/trie.ts'
import type { ModelState } from '../model.ts'
import type { StoreAnswer } from './multistore.ts'

export interface TrieAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
  readonly storageRoot: Uint8Array
}

/** What a proof tells of an account that is not there. */
export const noAccount: TrieAccount = {
  nonce: 0n,
  balance: 0n,
  codeHash: new Uint8Array(32),
  storageRoot: new Uint8Array(32),
}

/** JSON of an operation of `proofOps`. */
const operation = (type: string, key: Uint8Array, data: Uint8Array): string =>
  `{"type":"perihelion:${type}","key":"${base64(key)}","data":"${base64(data)}"}`

/** JSON of `proofOps`, as nodes of our own chain write it: nodes of a slot, if there is one, those of its account, and the header. */
export const trieOpsJson = (
  slot: readonly [key: Uint8Array, nodes: readonly Uint8Array[]] | undefined,
  [address, nodes]: readonly [address: Uint8Array, nodes: readonly Uint8Array[]],
  header: Uint8Array,
): string => {
  const mpt = (key: Uint8Array, list: readonly Uint8Array[]) => operation('mpt', key, RLP.encode([...list]))
  const ops = [
    ...(slot === undefined ? [] : [mpt(...slot)]),
    mpt(address, nodes),
    operation('header', Buffer.from('stateRoot'), header),
  ]
  return `{"ops":[${ops.join(',')}]}`
}

/** The tries of a state of our own chain. */
export class WorldTries {
  readonly #storages = new Map<string, Trie>()
  readonly #accounts = new Map<string, TrieAccount>()
  readonly #slots = new Map<string, Uint8Array>()
  #state: Trie | undefined

  constructor(world: ModelState, height: number) {
    const slots = new Map<string, { key: Uint8Array; value: Uint8Array }[]>()
    for (const { place, value } of world.slots(height)) {
      const of = toHex(place.subarray(0, 20))
      slots.set(of, [
        ...(slots.get(of) ?? []),
        { key: place.subarray(20), value: RLP.encode(compact(toBigInt(value))) },
      ])
      this.#slots.set(toHex(place), value)
    }
    for (const [of, entries] of slots) this.#storages.set(of, trieOf(entries))
    for (const { address, nonce, balance } of world.accounts(height)) {
      const codeHash = keccak(world.code(address, height))
      this.#accounts.set(toHex(address), {
        nonce,
        balance,
        codeHash,
        storageRoot: this.storage(address).root,
      })
    }
  }

  get state(): Trie {
    this.#state ??= trieOf(
      [...this.#accounts].map(([address, account]) => ({ key: fromHex(address), value: leafOf(account) })),
    )
    return this.#state
  }

  get root(): Uint8Array {
    return this.state.root
  }

  account(address: Uint8Array): TrieAccount | undefined {
    return this.#accounts.get(toHex(address))
  }

  storage(address: Uint8Array): Trie {
    return this.#storages.get(toHex(address)) ?? emptyTrie
  }

  /** Answers as `store/<name>/key` does; undefined if there is no such store. */
  answer(store: string, key: Uint8Array, header: Uint8Array): StoreAnswer | undefined {
    const [address, slot] = [key.subarray(1, 21), key.subarray(21)]
    const inState = [address, this.state.prove(address)] as const
    if (store === 'acc') {
      const account = this.account(address)
      return {
        value: account === undefined ? emptyBytes : leafOf(account),
        proof: trieOpsJson(undefined, inState, header),
      }
    }
    if (store !== 'evm') return undefined
    return {
      value: this.#slots.get(toHex(concatBytes(address, slot))) ?? emptyBytes,
      proof: trieOpsJson([slot, this.storage(address).prove(slot)], inState, header),
    }
  }
}

export const leafOf = ({ nonce, balance, storageRoot, codeHash }: TrieAccount): Uint8Array =>
  RLP.encode([compact(nonce), compact(balance), storageRoot, codeHash])

const emptyTrie = trieOf([])
