import { toHex } from '../../base/encoding/hex.ts'
import type { Account, EvmStateReader } from '../../chain/state/evmState.ts'

/** Counts the bytes of a witness; throws when they are too many. */
export interface WitnessBudget {
  add(bytes: number): void
}

interface ReadAccount {
  readonly address: Uint8Array
  readonly slots: Map<string, Uint8Array>
}

/** A state that remembers what was read of it. */
export class RecordedState implements EvmStateReader {
  readonly accounts = new Map<string, ReadAccount>()
  readonly codes = new Map<string, Uint8Array>()
  readonly #base: EvmStateReader
  readonly #memory: WitnessBudget

  constructor(base: EvmStateReader, memory: WitnessBudget) {
    this.#base = base
    this.#memory = memory
  }

  account(address: Uint8Array): Account | undefined {
    this.#read(address)
    return this.#base.account(address)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const { slots } = this.#read(address)
    const id = toHex(slot)
    if (!slots.has(id)) {
      this.#memory.add(slot.length)
      slots.set(id, slot.slice())
    }
    return this.#base.storage(address, slot)
  }

  code(codeHash: Uint8Array): Uint8Array {
    const code = this.#base.code(codeHash)
    const id = toHex(codeHash)
    if (code.length > 0 && !this.codes.has(id)) {
      this.#memory.add(code.length)
      this.codes.set(id, code.slice())
    }
    return code
  }

  hasStorage(address: Uint8Array): boolean {
    this.#read(address)
    return this.#base.hasStorage(address)
  }

  /**
   * Adds the code of accounts whose code has one of these hashes. The EVM knows code by its hash and does not ask for what
   * it has seen created, but another one may.
   */
  addCodes(hashes: ReadonlySet<string>): void {
    if (hashes.size === 0) return
    for (const { address } of this.accounts.values()) {
      const account = this.#base.account(address)
      if (account !== undefined && hashes.has(toHex(account.codeHash))) this.code(account.codeHash)
    }
  }

  /** Adds the code of every account that was read. */
  addAllCodes(): void {
    for (const { address } of this.accounts.values()) {
      const account = this.#base.account(address)
      if (account !== undefined) this.code(account.codeHash)
    }
  }

  #read(address: Uint8Array): ReadAccount {
    const id = toHex(address)
    const known = this.accounts.get(id)
    if (known !== undefined) return known
    this.#memory.add(address.length)
    const read = { address: address.slice(), slots: new Map<string, Uint8Array>() }
    this.accounts.set(id, read)
    return read
  }
}
