import { toHex } from '../../base/encoding/hex.ts'
import type { AccountPage, AccountProof, SlotPage, StateView } from '../../chain/port/state.ts'
import type { AccountView } from '../../chain/state/accountLeaf.ts'
import {
  type AccountChange,
  type EvmStateReader,
  emptyCodeHash,
  type StateChanges,
} from '../../chain/state/evmState.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import type { StateReader } from '../../state/reading/stateReader.ts'
import { emptyRoot } from '../../state/rows/rows.ts'
import { overlayAccounts } from './overlayAccounts.ts'
import { overlaySlots } from './overlaySlots.ts'
import { StoredStateView } from './storedState.ts'

/**
 * A state with changes that are not written. No trie exists for it, so proofs and storage roots are those of the base
 * state.
 */
export class OverlayStateView implements StateView {
  readonly #base: StoredStateView
  readonly #changes: ReadonlyMap<string, AccountChange>
  readonly #state: EvmStateReader

  constructor(base: StateReader, changes: StateChanges) {
    this.#base = new StoredStateView(base)
    this.#changes = new Map(changes.accounts.map((change) => [toHex(change.address), change]))
    this.#state = createOverlay(base, changes)
  }

  balance(address: Uint8Array): bigint {
    return this.#state.account(address)?.balance ?? 0n
  }

  nonce(address: Uint8Array): bigint {
    return this.#state.account(address)?.nonce ?? 0n
  }

  code(address: Uint8Array): Uint8Array {
    return this.#state.code(this.#state.account(address)?.codeHash ?? emptyCodeHash)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#state.storage(address, slot)
  }

  account(address: Uint8Array): AccountView | undefined {
    const account = this.#state.account(address)
    return account && { ...account, storageRoot: this.#base.account(address)?.storageRoot ?? emptyRoot }
  }

  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    return this.#base.prove(address, slots)
  }

  accounts(start: Uint8Array, limit: number): AccountPage {
    return overlayAccounts(
      this.#changes.values(),
      start,
      limit,
      (from, count) => this.#base.accounts(from, count),
      (address) => this.#base.account(address)?.storageRoot,
    )
  }

  slots(address: Uint8Array, start: Uint8Array, limit: number): SlotPage {
    const change = this.#changes.get(toHex(address))
    if (change === undefined) return this.#base.slots(address, start, limit)
    return overlaySlots(change, start, limit, (from, count) => this.#base.slots(address, from, count))
  }
}
