import type { AccountPage, AccountProof, AccountView, SlotPage, StateView } from '../chain/port.ts'
import type { WorldChanges, WorldReader } from '../chain/world.ts'
import type { StateReader } from '../state/reader.ts'
import { emptyCodeHash } from '../state/rows.ts'
import { NodeState } from './nodeState.ts'
import { overlay } from './overlay.ts'

/** The state after the pending block. Its trie is nowhere written, so proofs and lists are those of the head. */
export class PendingState implements StateView {
  readonly #head: NodeState
  readonly #world: WorldReader

  constructor(below: StateReader, changes: WorldChanges) {
    this.#head = new NodeState(below)
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
    return this.#head.account(address)
  }

  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    return this.#head.prove(address, slots)
  }

  accounts(start: Uint8Array, limit: number): AccountPage {
    return this.#head.accounts(start, limit)
  }

  slots(address: Uint8Array, start: Uint8Array, limit: number): SlotPage {
    return this.#head.slots(address, start, limit)
  }
}
