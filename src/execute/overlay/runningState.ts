import { toHex } from '../../base/encoding/hex.ts'
import type { Account, EvmStateReader, StateChanges } from '../../chain/state/evmState.ts'

interface ChangedAccount {
  account: Account | undefined
  /** Whether the slots of the state below do not count any more. */
  isCleared: boolean
  slots: Map<string, Uint8Array>
}

const unset = new Uint8Array(32)

/**
 * A state to which the changes of one transaction after the other are added. Adding costs as much as the changes, however
 * many came before; an overlay on top of an overlay would cost every read more.
 */
export class RunningState implements EvmStateReader {
  readonly #base: EvmStateReader
  readonly #accounts = new Map<string, ChangedAccount>()
  readonly #code = new Map<string, Uint8Array>()

  constructor(base: EvmStateReader) {
    this.#base = base
  }

  add({ accounts, code }: StateChanges): void {
    for (const [hash, bytes] of code) this.#code.set(toHex(hash), bytes)
    for (const { address, account, storageCleared, storage } of accounts) {
      const key = toHex(address)
      const before = this.#accounts.get(key)
      const isCleared = storageCleared || account === undefined
      const changed: ChangedAccount =
        before === undefined || isCleared
          ? { account, isCleared: isCleared || before?.isCleared === true, slots: new Map() }
          : before
      changed.account = account
      for (const [slot, value] of storage) changed.slots.set(toHex(slot), value)
      this.#accounts.set(key, changed)
    }
  }

  account(address: Uint8Array): Account | undefined {
    const changed = this.#accounts.get(toHex(address))
    return changed === undefined ? this.#base.account(address) : changed.account
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const changed = this.#accounts.get(toHex(address))
    if (changed === undefined) return this.#base.storage(address, slot)
    return changed.slots.get(toHex(slot)) ?? (changed.isCleared ? unset : this.#base.storage(address, slot))
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#code.get(toHex(codeHash)) ?? this.#base.code(codeHash)
  }

  hasStorage(address: Uint8Array): boolean {
    const changed = this.#accounts.get(toHex(address))
    if (changed === undefined) return this.#base.hasStorage(address)
    for (const value of changed.slots.values()) if (value.some((byte) => byte !== 0)) return true
    return !changed.isCleared && this.#base.hasStorage(address)
  }
}
