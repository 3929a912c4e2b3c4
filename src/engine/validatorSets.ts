import { LRUCache } from 'lru-cache'
import { toHex } from '../base/hex.ts'
import { readValidatorSet, validatorContractAddress } from '../chain/validators/contract.ts'
import type { Validator } from '../chain/validators/validators.ts'
import { readerAt } from '../execute/call/runner.ts'
import type { StateStore } from '../state/store.ts'

/** The engine takes what a block changes into account two blocks later. */
const blocksUntilInForce = 2
/** The last block whose changes are in force in a block. */
const changedBy = (number: number): number => Math.max(0, number - blocksUntilInForce)

/** Sets change seldom: so many are remembered by the root of the contract's storage. */
const rememberedSets = 32

/** The validators as the contract has them, at every height whose state is kept. */
export class ValidatorSets {
  readonly #state: StateStore
  readonly #byRoot = new LRUCache<string, readonly Validator[]>({ max: rememberedSets })

  constructor(state: StateStore) {
    this.#state = state
  }

  /** Who decides the block of a height, which may be up to two above the head. Throws where the state is not kept. */
  deciding(number: number): readonly Validator[] {
    return this.afterBlock(changedBy(number))
  }

  /** Undefined where the state is not kept. */
  findDeciding(number: number): readonly Validator[] | undefined {
    return changedBy(number) < (this.#state.oldest ?? 0) ? undefined : this.deciding(number)
  }

  /** What the contract says after a block; nobody where the chain has no such contract. */
  afterBlock(number: number): readonly Validator[] {
    const reader = readerAt(this.#state, number)
    const root = reader.stored(validatorContractAddress)?.storageRoot
    if (root === undefined) return []
    const known = this.#byRoot.get(toHex(root))
    if (known !== undefined) return known
    const set = readValidatorSet((slot) => reader.storage(validatorContractAddress, slot))
    this.#byRoot.set(toHex(root), set)
    return set
  }
}
