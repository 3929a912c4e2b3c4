import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { unsupported } from '../../chain/chainError.ts'
import type { AccountPage, AccountProof, SlotPage, StateView } from '../../chain/port/state.ts'
import type { AccountView } from '../../chain/state/accountLeaf.ts'
import { MissingForkValueError } from '../../chain/state/forkSource.ts'

/** Runs a read of a forked state, again whenever a value was missing and has been fetched. */
export const readForked = <T>(read: () => MaybePromise<T>): MaybePromise<T> => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MissingForkValueError)) throw error
    return error.fetch().then(() => readForked(read))
  }
}

/** A state of a forked chain, whose reads wait for the remote without holding anything up. */
export class ForkedStateView implements StateView {
  readonly #view: StateView

  constructor(view: StateView) {
    this.#view = view
  }

  balance(address: Uint8Array): MaybePromise<bigint> {
    return readForked(() => this.#view.balance(address))
  }

  nonce(address: Uint8Array): MaybePromise<bigint> {
    return readForked(() => this.#view.nonce(address))
  }

  code(address: Uint8Array): MaybePromise<Uint8Array> {
    return readForked(() => this.#view.code(address))
  }

  storage(address: Uint8Array, slot: Uint8Array): MaybePromise<Uint8Array> {
    return readForked(() => this.#view.storage(address, slot))
  }

  account(address: Uint8Array): MaybePromise<AccountView | undefined> {
    return readForked(() => this.#view.account(address))
  }

  prove(): AccountProof {
    throw unsupported(
      'this chain is forked from a remote one: its root covers the local changes alone, and nothing can be proved',
    )
  }

  accounts(start: Uint8Array, limit: number): MaybePromise<AccountPage> {
    return readForked(() => this.#view.accounts(start, limit))
  }

  slots(address: Uint8Array, start: Uint8Array, limit: number): MaybePromise<SlotPage> {
    return readForked(() => this.#view.slots(address, start, limit))
  }
}
