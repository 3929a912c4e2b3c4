import { equalBytes } from '../../../base/encoding/bytes.ts'
import { readTextFile } from '../../../base/files/readFile.ts'
import type { ValidatorStats } from '../../metrics.ts'
import { signStatePath } from '../signing/signState.ts'

/** A vote for a block, as CometBFT reports it with the next one. */
export interface BlockVote {
  readonly validator?: { readonly address: Uint8Array; readonly power: bigint } | undefined
  readonly blockIdFlag: number
}

/** CometBFT's flag of a vote for the block that was decided. */
const forBlock = 2

const maxSignStateBytes = 4096

/** Counts the blocks that the validator of this node did not sign, from the votes that each block holds for the one before. */
export class ValidatorWatch {
  /** The folder of the engine, whose sign state is read; undefined if it is not on this computer. */
  readonly #folder: string | undefined
  #address: Uint8Array | undefined
  #power = 0
  #signed = 0
  #missed = 0

  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** Sets the address under which the engine of this node signs, empty if it signs nothing. */
  setAddress(address: Uint8Array): void {
    this.#address = address.length === 0 ? undefined : address
  }

  onVotes(votes: readonly BlockVote[]): void {
    const own = this.#address
    if (own === undefined) return
    const vote = votes.find(({ validator }) => validator !== undefined && equalBytes(validator.address, own))
    this.#power = Number(vote?.validator?.power ?? 0n)
    if (vote === undefined) return
    if (vote.blockIdFlag === forBlock) this.#signed++
    else this.#missed++
  }

  stats(): ValidatorStats {
    return {
      power: this.#power,
      signed: this.#signed,
      missed: this.#missed,
      signHeight: this.#folder === undefined ? 0 : readSignHeight(this.#folder),
    }
  }
}

/** Returns the height of what the validator signed last; 0 if it signed nothing, or signs elsewhere. */
const readSignHeight = (folder: string): number => {
  try {
    const text = readTextFile(signStatePath(folder), maxSignStateBytes)
    const height = Number((JSON.parse(text) as { readonly height?: string }).height)
    return Number.isSafeInteger(height) ? height : 0
  } catch {
    return 0
  }
}
