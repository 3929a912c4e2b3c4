import { toHex } from '../../base/encoding/hex.ts'
import type { Account, AccountChange, EvmStateReader, StateChanges } from './evmState.ts'

const unset = new Uint8Array(32)

type Slot = AccountChange['storage'][number]

interface IndexedAccount extends Omit<AccountChange, 'storage'> {
  readonly slots: Map<string, Slot>
}

/** Changes that can be looked up by address, slot and code hash. The slots of an account are indexed when they are needed. */
export class ChangeIndex {
  readonly #changes: Map<string, AccountChange>
  readonly #indexed = new Map<string, IndexedAccount>()
  readonly #code: Map<string, readonly [Uint8Array, Uint8Array]>

  constructor({ accounts, code }: StateChanges) {
    this.#changes = new Map(accounts.map((change) => [toHex(change.address), change]))
    this.#code = new Map(code.map((pair) => [toHex(pair[0]), pair]))
  }

  /** Adds changes that follow; the cost depends on them and not on the earlier ones. */
  add({ accounts, code }: StateChanges): void {
    for (const pair of code) this.#code.set(toHex(pair[0]), pair)
    for (const change of accounts) this.#addAccount(toHex(change.address), change)
  }

  #addAccount(id: string, change: AccountChange): void {
    const before = this.#account(id)
    if (before === undefined) {
      this.#changes.set(id, change)
      return
    }
    const isNew = change.storageCleared || before.account === undefined
    const slots = isNew ? new Map<string, Slot>() : before.slots
    for (const slot of change.storage) slots.set(toHex(slot[0]), slot)
    const storageCleared = before.storageCleared || isNew
    this.#indexed.set(id, { address: change.address, account: change.account, storageCleared, slots })
  }

  /** Returns all changes as one. */
  toChanges(): StateChanges {
    const ids = new Set([...this.#changes.keys(), ...this.#indexed.keys()])
    const accounts = Array.from(ids, (id): AccountChange => {
      const indexed = this.#indexed.get(id)
      if (indexed === undefined) return this.#changes.get(id) as AccountChange // one of the two has it
      const { slots, ...change } = indexed
      return { ...change, storage: [...slots.values()] }
    })
    return { accounts, code: [...this.#code.values()] }
  }

  account(address: Uint8Array): Omit<AccountChange, 'storage'> | undefined {
    const id = toHex(address)
    return this.#indexed.get(id) ?? this.#changes.get(id)
  }

  /** Returns the value that the changes gave to a slot; undefined if they did not set it. */
  slot(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    return this.#account(toHex(address))?.slots.get(toHex(slot))?.[1]
  }

  /** Returns whether the changes left a slot of an account set. */
  setsSlot(address: Uint8Array): boolean {
    for (const [, value] of this.#account(toHex(address))?.slots.values() ?? [])
      if (value.some((byte) => byte !== 0)) return true
    return false
  }

  code(codeHash: Uint8Array): Uint8Array | undefined {
    return this.#code.get(toHex(codeHash))?.[1]
  }

  #account(id: string): IndexedAccount | undefined {
    const known = this.#indexed.get(id)
    const change = this.#changes.get(id)
    if (known !== undefined || change === undefined) return known
    const { storage, ...rest } = change
    const indexed = { ...rest, slots: new Map(storage.map((slot) => [toHex(slot[0]), slot])) }
    this.#indexed.set(id, indexed)
    return indexed
  }
}

/** Returns a state with changes on top that are not written. */
export const createOverlay = (base: EvmStateReader, changes: StateChanges): EvmStateReader =>
  createIndexedOverlay(base, new ChangeIndex(changes))

/** Returns the same for changes whose index exists already. */
export const createIndexedOverlay = (base: EvmStateReader, changes: ChangeIndex): EvmStateReader => ({
  account: (address): Account | undefined => {
    const change = changes.account(address)
    return change === undefined ? base.account(address) : change.account
  },
  storage: (address, slot) => {
    const change = changes.account(address)
    if (change === undefined) return base.storage(address, slot)
    const value = changes.slot(address, slot)
    if (value !== undefined) return value
    return change.storageCleared || change.account === undefined ? unset : base.storage(address, slot)
  },
  code: (codeHash) => changes.code(codeHash) ?? base.code(codeHash),
  hasStorage: (address) => {
    const change = changes.account(address)
    if (change === undefined) return base.hasStorage(address)
    return (
      changes.setsSlot(address) ||
      (!change.storageCleared && change.account !== undefined && base.hasStorage(address))
    )
  },
})
