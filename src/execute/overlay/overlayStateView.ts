import { keccak256 } from '../../base/crypto/crypto.ts'
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
import { overlaySlots } from './overlaySlots.ts'
import { StoredStateView } from './storedState.ts'

type PagedAccount = AccountPage['accounts'][number]

/** Returns a page of accounts in the order of their hashes, with changes on top of the stored accounts. */
const overlayAccounts = (
  changes: Iterable<AccountChange>,
  start: Uint8Array,
  limit: number,
  base: (start: Uint8Array, limit: number) => AccountPage,
  storageRoot: (address: Uint8Array) => Uint8Array | undefined,
): AccountPage => {
  const changed = Array.from(changes, (change) => ({
    ...change,
    hashedAddress: keccak256(change.address),
  })).filter(({ hashedAddress }) => Buffer.compare(hashedAddress, start) >= 0)
  // The changes may replace as many accounts of the base, so that many more are read.
  const page = base(start, limit + changed.length)
  const replaced = new Set(changed.map(({ hashedAddress }) => toHex(hashedAddress)))
  const { next, root } = page
  const added = changed.flatMap(({ address, account, hashedAddress }): PagedAccount[] => {
    if (account === undefined || (next !== undefined && Buffer.compare(hashedAddress, next) >= 0)) return []
    return [{ ...account, storageRoot: storageRoot(address) ?? emptyRoot, address, hashedAddress }]
  })
  const accounts = [
    ...page.accounts.filter(({ hashedAddress }) => !replaced.has(toHex(hashedAddress))),
    ...added,
  ].sort((a, b) => Buffer.compare(a.hashedAddress, b.hashedAddress))
  return { root, accounts: accounts.slice(0, limit), next: accounts[limit]?.hashedAddress ?? next }
}

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
