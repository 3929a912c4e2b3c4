import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import { trieRoot } from '../../chain/block/trieRoot.ts'
import type { GenesisAccount } from '../../chain/genesis/genesisAccount.ts'
import {
  type Account,
  type AccountChange,
  type EvmStateReader,
  emptyCodeHash,
  type StateChanges,
} from '../../chain/state/evmState.ts'
import { encodeInteger } from '../../chain/transaction/encode.ts'

/** A whole state in memory, for state tests and for single pieces of code. */

const zeroWord = new Uint8Array(32)

interface Entry {
  readonly address: Uint8Array
  account: Account
  /** The values by slot as hex, without zeros. */
  readonly storage: Map<string, Uint8Array>
}

/** A state that a test changes, and whose root it compares. */
export interface TestState extends EvmStateReader {
  apply(changes: StateChanges): void
  /** Touches the beneficiary, as a block without a reward does after its transactions. */
  touch(address: Uint8Array, deletesEmpty: boolean): void
  stateRoot(): Uint8Array
}

/** Returns a cheap key for a map: bytes as characters. */
const keyOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

const bytesOf = (key: string): Uint8Array => Buffer.from(key, 'latin1')

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

const trimmed = (word: Uint8Array): Uint8Array => word.subarray(word.findIndex((byte) => byte !== 0))

export class InMemoryState implements TestState {
  readonly #entries = new Map<string, Entry>()
  readonly #code = new Map<string, Uint8Array>([[keyOf(emptyCodeHash), emptyBytes]])

  constructor(accounts: readonly GenesisAccount[]) {
    for (const { address, nonce, balance, code, storage } of accounts) {
      const codeHash = keccak256(code)
      this.#code.set(keyOf(codeHash), code)
      this.#change({ address, account: { nonce, balance, codeHash }, storageCleared: true, storage })
    }
  }

  account(address: Uint8Array): Account | undefined {
    return this.#entries.get(keyOf(address))?.account
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#entries.get(keyOf(address))?.storage.get(keyOf(slot)) ?? zeroWord
  }

  code(codeHash: Uint8Array): Uint8Array {
    const code = this.#code.get(keyOf(codeHash))
    if (code === undefined) throw new Error('no code has this hash')
    return code
  }

  hasStorage(address: Uint8Array): boolean {
    return (this.#entries.get(keyOf(address))?.storage.size ?? 0) > 0
  }

  apply({ accounts, code }: StateChanges): void {
    for (const [codeHash, bytes] of code) this.#code.set(keyOf(codeHash), bytes)
    for (const change of accounts) this.#change(change)
  }

  touch(address: Uint8Array, deletesEmpty: boolean): void {
    const account = this.account(address)
    if (account === undefined) {
      if (!deletesEmpty)
        this.#change({
          address,
          account: { nonce: 0n, balance: 0n, codeHash: emptyCodeHash },
          storageCleared: false,
          storage: [],
        })
      return
    }
    const { nonce, balance, codeHash } = account
    if (deletesEmpty && nonce === 0n && balance === 0n && equalBytes(codeHash, emptyCodeHash))
      this.#entries.delete(keyOf(address))
  }

  stateRoot(): Uint8Array {
    return trieRoot(
      Array.from(this.#entries.values(), ({ address, account, storage }) => {
        const { nonce, balance, codeHash } = account
        const fields = [encodeInteger(nonce), encodeInteger(balance), storageRoot(storage), codeHash]
        return [keccak256(address), encodeRlp(fields)] as const
      }),
    )
  }

  #change({ address, account, storageCleared, storage }: AccountChange): void {
    const key = keyOf(address)
    if (account === undefined) {
      this.#entries.delete(key)
      return
    }
    let entry = this.#entries.get(key)
    if (entry === undefined || storageCleared) {
      entry = { address: address.slice(), account, storage: new Map() }
      this.#entries.set(key, entry)
    }
    entry.account = account
    for (const [slot, value] of storage) {
      if (isZero(value)) entry.storage.delete(keyOf(slot))
      else entry.storage.set(keyOf(slot), value)
    }
  }
}

const storageRoot = (storage: ReadonlyMap<string, Uint8Array>): Uint8Array =>
  trieRoot(
    Array.from(storage, ([slot, value]) => [keccak256(bytesOf(slot)), encodeRlp(trimmed(value))] as const),
  )
