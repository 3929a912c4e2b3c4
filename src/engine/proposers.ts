import { sha256 } from '../base/crypto.ts'
import { toHex } from '../base/hex.ts'
import type { NetworkValidator, Proposal } from '../chain/port/network.ts'
import type { Validator } from '../chain/validators/validators.ts'
import type { BlockReader } from '../store/blockReader.ts'

/** Gives CometBFT's address of the owner of a key, as validator or as peer: 20 bytes. */
export const keyAddress = (publicKey: Uint8Array): Uint8Array => sha256(publicKey).subarray(0, 20)

/** Who decided a block, as far as its header tells: the beneficiary is the proposer's. */

export const validatorsByHeader = (blocks: BlockReader, number: number): readonly Uint8Array[] => {
  const header = blocks.header(number)
  return header === undefined ? [] : [header.beneficiary]
}

/** Undefined for the first block, which nobody proposed, and for one that is not there. */
export const proposalByHeader = (blocks: BlockReader, number: number): Proposal | undefined => {
  const header = number === 0 ? undefined : blocks.header(number)
  return header && { proposer: header.beneficiary, isInTurn: true }
}

/** The addresses of a set; validators may share one. */
export const rewardsOf = (set: readonly Validator[]): readonly Uint8Array[] => [
  ...new Map(set.map(({ reward }) => [toHex(reward), reward])).values(),
]

/** As the engine lists them: by power, the highest first, then by address. */
export const inEngineOrder = (set: readonly Validator[]): readonly NetworkValidator[] =>
  set
    .map((validator) => ({ ...validator, engineAddress: keyAddress(validator.publicKey) }))
    .sort((one, other) =>
      one.power === other.power
        ? Buffer.compare(one.engineAddress, other.engineAddress)
        : one.power > other.power
          ? -1
          : 1,
    )
