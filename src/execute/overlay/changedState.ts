import { toHex } from '../../base/hex.ts'
import type { AccountPage, AccountProof, AccountView, SlotPage, StateView } from '../../chain/port/state.ts'
import {
  type AccountChange,
  emptyCodeHash,
  type WorldChanges,
  type WorldReader,
} from '../../chain/state/world.ts'
import type { StateReader } from '../../state/reader.ts'
import { emptyRoot } from '../../state/rows.ts'
import { overlay } from './overlay.ts'
import { slotsOver } from './slotOverlay.ts'
import { NodeState } from './storedState.ts'

/** A state with changes that are not written: its trie is nowhere, so proofs, storage roots and lists of accounts are those below. */
export class ChangedState implements StateView {
  readonly #below: NodeState
  readonly #changes: ReadonlyMap<string, AccountChange>
  readonly #world: WorldReader

  constructor(below: StateReader, changes: WorldChanges) {
    this.#below = new NodeState(below)
    this.#changes = new Map(changes.accounts.map((change) => [toHex(change.address), change]))
    this.#world = overlay(below, changes)
  }

  balance(address: Uint8Array): bigint {
    return this.#world.account(address)?.balance ?? 0n
  }

  nonce(address: Uint8Array): bigint {
    return this.#world.account(address)?.nonce ?? 0n
  }

  code(address: Uint8Array): Uint8Array {
    return this.#world.code(this.#world.account(address)?.codeHash ?? emptyCodeHash)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#world.storage(address, slot)
  }

  account(address: Uint8Array): AccountView | undefined {
    const account = this.#world.account(address)
    return account && { ...account, storageRoot: this.#below.account(address)?.storageRoot ?? emptyRoot }
  }

  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    return this.#below.prove(address, slots)
  }

  accounts(start: Uint8Array, limit: number): AccountPage {
    return this.#below.accounts(start, limit)
  }

  slots(address: Uint8Array, start: Uint8Array, limit: number): SlotPage {
    const change = this.#changes.get(toHex(address))
    if (change === undefined) return this.#below.slots(address, start, limit)
    return slotsOver(change, start, limit, (from, count) => this.#below.slots(address, from, count))
  }
}
