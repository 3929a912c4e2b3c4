import { LRUCache } from 'lru-cache'
import { toHex } from '../base/encoding/hex.ts'
import { readValidatorSet, validatorContractAddress } from '../chain/validators/contract.ts'
import type { Validator } from '../chain/validators/validatorConfig.ts'
import { openStateReader } from '../execute/overlay/openState.ts'
import type { StateStore } from '../state/stateStore.ts'

/** The number of blocks until the engine applies a change of the validator set. */
const validatorUpdateDelay = 2
/** Returns the last block whose changes are effective in a block. */
const lastEffectiveBlock = (number: number): number => Math.max(0, number - validatorUpdateDelay)

/** The number of cached sets, by the storage root of the contract. Sets change seldom. */
const setCacheSize = 32

/** Reads the validator set from the contract, at every retained height. */
export class ValidatorSetReader {
  readonly #state: StateStore
  readonly #byRoot = new LRUCache<string, readonly Validator[]>({ max: setCacheSize })

  constructor(state: StateStore) {
    this.#state = state
  }

  /**
   * Returns the validators that decide a block, which may be up to two above the head. Throws if the state was pruned.
   */
  forBlock(number: number): readonly Validator[] {
    return this.afterBlock(lastEffectiveBlock(number))
  }

  /** Returns the validators that decide a block; undefined if the state was pruned. */
  findForBlock(number: number): readonly Validator[] | undefined {
    return lastEffectiveBlock(number) < (this.#state.oldest ?? 0) ? undefined : this.forBlock(number)
  }

  /** Returns the validator set after a block; empty if the chain has no such contract. */
  afterBlock(number: number): readonly Validator[] {
    const reader = openStateReader(this.#state, number)
    const root = reader.storedAccount(validatorContractAddress)?.storageRoot
    if (root === undefined) return []
    const known = this.#byRoot.get(toHex(root))
    if (known !== undefined) return known
    const set = readValidatorSet((slot) => reader.storage(validatorContractAddress, slot))
    this.#byRoot.set(toHex(root), set)
    return set
  }
}
