import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { badConfig } from '../../base/exit.ts'
import type { EngineProducer } from '../application.ts'
import { keyAddress } from '../blocks/proposers.ts'
import type { ValidatorSetReader } from '../validatorSetReader.ts'

export interface RewardOptions {
  /** The address that the operator set; undefined if the contract of validators tells. */
  readonly coinbase: Uint8Array | undefined
  /** The key with which this node signs; undefined if somebody else runs CometBFT. */
  readonly validatorKey: Uint8Array | undefined
}

export interface RewardDependencies {
  readonly producer: Pick<EngineProducer, 'coinbase'>
  readonly sets: Pick<ValidatorSetReader, 'afterBlock' | 'findForBlock'>
  /** Returns the number of the head. */
  readonly height: () => number
}

/** Where the tips of the blocks go that this validator proposes: where the operator says, or else where the contract does. */
export class ValidatorReward {
  readonly #options: RewardOptions
  readonly #dependencies: RewardDependencies
  #isSet: boolean

  constructor(options: RewardOptions, dependencies: RewardDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#isSet = options.coinbase !== undefined
  }

  /** Throws an ExitError for a validator of the chain whose tips would go to nobody. */
  check(): void {
    const { validatorKey } = this.#options
    if (this.#isSet || validatorKey === undefined) return
    const reward = this.#find(keyAddress(validatorKey))
    if (reward !== undefined && isZero(reward))
      throw badConfig(
        `coinbase: none is set, and this validator (${Buffer.from(validatorKey).toString('base64')}) has the reward address ` +
          `${toHex(reward)} in the contract of validators: name one with --coinbase, at least until this node has the block in which setReward names one`,
      )
  }

  /** Returns the address for the next block of this node; what it was last if it is not a validator. */
  current(): Uint8Array {
    const { validatorKey } = this.#options
    return validatorKey === undefined
      ? this.#dependencies.producer.coinbase
      : this.forProposer(keyAddress(validatorKey))
  }

  /** Returns the address for a block that the validator with CometBFT's address proposes, which is this node. */
  forProposer(address: Uint8Array): Uint8Array {
    const { producer } = this.#dependencies
    // Remembered, for the pending block.
    if (!this.#isSet) producer.coinbase = this.#find(address) ?? producer.coinbase
    return producer.coinbase
  }

  /** Sets the address, whatever the contract says. */
  set(address: Uint8Array): void {
    this.#isSet = true
    this.#dependencies.producer.coinbase = address
  }

  /** Finds the reward address of a validator; a removed validator still proposes the next block. */
  #find(address: Uint8Array): Uint8Array | undefined {
    const { sets, height } = this.#dependencies
    const isOwn = ({ publicKey }: { readonly publicKey: Uint8Array }): boolean =>
      equalBytes(keyAddress(publicKey), address)
    const found = sets.afterBlock(height()).find(isOwn) ?? sets.findForBlock(height() + 1)?.find(isOwn)
    return found?.reward
  }
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
