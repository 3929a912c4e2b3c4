import { LRUCache } from 'lru-cache'
import { toHex } from '../base/hex.ts'
import { readValidatorSet, validatorContractAddress } from '../chain/validators/contract.ts'
import type { Validator } from '../chain/validators/validators.ts'
import { openStateReader } from '../execute/call/runner.ts'
import type { StateStore } from '../state/store.ts'

/** The engine takes what a block changes into account two blocks later. */
const validatorUpdateDelay = 2
/** The last block whose changes are in force in a block. */
const lastEffectiveBlock = (number: number): number => Math.max(0, number - validatorUpdateDelay)

/** Sets change seldom: so many are remembered by the root of the contract's storage. */
const setCacheSize = 32

/** The validators as the contract has them, at every height whose state is kept. */
export class ValidatorSetReader {
  readonly #state: StateStore
  readonly #byRoot = new LRUCache<string, readonly Validator[]>({ max: setCacheSize })

  constructor(state: StateStore) {
    this.#state = state
  }

  /** Who decides the block of a height, which may be up to two above the head. Throws where the state is not kept. */
  forBlock(number: number): readonly Validator[] {
    return this.afterBlock(lastEffectiveBlock(number))
  }

  /** Undefined where the state is not kept. */
  findForBlock(number: number): readonly Validator[] | undefined {
    return lastEffectiveBlock(number) < (this.#state.oldest ?? 0) ? undefined : this.forBlock(number)
  }

  /** What the contract says after a block; nobody where the chain has no such contract. */
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
