import { sha256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { NetworkValidator, Proposal } from '../../chain/port/network.ts'
import type { Validator } from '../../chain/validators/validatorConfig.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'

/** Returns CometBFT's address of a validator's or peer's key: 20 bytes. */
export const keyAddress = (publicKey: Uint8Array): Uint8Array => sha256(publicKey).subarray(0, 20)

/** Finds the proposer of a block by its header, whose beneficiary is the proposer's address. */

export const validatorsFromHeader = (blocks: BlockStoreReader, number: number): readonly Uint8Array[] => {
  const header = blocks.header(number)
  return header === undefined ? [] : [header.beneficiary]
}

/** Returns the proposal of a block; undefined for the genesis block and for one that is not stored. */
export const proposalFromHeader = (blocks: BlockStoreReader, number: number): Proposal | undefined => {
  const header = number === 0 ? undefined : blocks.header(number)
  return header && { proposer: header.beneficiary, isInTurn: true }
}

/** Returns the addresses of a validator set; validators may share one. */
export const rewardAddresses = (set: readonly Validator[]): readonly Uint8Array[] => [
  ...new Map(set.map(({ reward }) => [toHex(reward), reward])).values(),
]

/** Returns the validators in the engine's order: by power, highest first, then by address. */
export const toNetworkValidators = (set: readonly Validator[]): readonly NetworkValidator[] =>
  set
    .map((validator) => ({ ...validator, engineAddress: keyAddress(validator.publicKey) }))
    .sort((one, other) =>
      one.power === other.power
        ? Buffer.compare(one.engineAddress, other.engineAddress)
        : one.power > other.power
          ? -1
          : 1,
    )
