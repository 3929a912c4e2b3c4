import type { Account } from '../../chain/state/evmState.ts'
import { type MissingValue, MissingValueError, type ProvenState } from './provenState.ts'

const word = 32

/** Reads on where something is missing, as if it were zero, and notes it: all of it can be requested at once. */
export class ReadingOn {
  readonly missing: MissingValue[] = []
  readonly #state: ProvenState

  constructor(state: ProvenState) {
    this.#state = state
  }

  account(address: Uint8Array): Account | undefined {
    return this.#read(() => this.#state.account(address), undefined)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#read(() => this.#state.storage(address, slot), new Uint8Array(word))
  }

  #read<Value>(read: () => Value, otherwise: Value): Value {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof MissingValueError)) throw error
      this.missing.push(error.missing)
      return otherwise
    }
  }
}
