import type { Proposal } from '../chain/port.ts'
import type { BlockReader } from '../store/blockReader.ts'

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
