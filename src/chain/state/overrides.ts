import type { Withdrawal } from '../block/withdrawal.ts'

/**
 * Slots, each followed by its value, 32 bytes each. One array, because there may be tens of thousands of them: as arrays of their
 * own they would be half a kilobyte of memory each, and take long to pass to another thread.
 */
export type SlotWords = Uint8Array

export const wordLength = 32
export const entryLength = 2 * wordLength

type Entry = readonly [slot: Uint8Array, value: Uint8Array]

/** Returns the slots and values; of a slot that is there twice the last one counts. */
export const toEntries = (words: SlotWords): readonly Entry[] =>
  Array.from({ length: words.length / entryLength }, (_, index) => {
    const at = index * entryLength
    return [words.subarray(at, at + wordLength), words.subarray(at + wordLength, at + entryLength)]
  })

export const fromEntries = (entries: readonly Entry[]): SlotWords => {
  const words = new Uint8Array(entries.length * entryLength)
  for (const [index, [slot, value]] of entries.entries()) {
    words.set(slot, index * entryLength)
    words.set(value, index * entryLength + wordLength)
  }
  return words
}

/** Values of one account that replace the stored ones during a call. */
export interface AccountOverride {
  readonly address: Uint8Array
  readonly nonce?: bigint | undefined
  readonly code?: Uint8Array | undefined
  readonly balance?: bigint | undefined
  /** The whole storage of the account. */
  readonly state?: SlotWords | undefined
  /** Single slots; the other slots keep their values. */
  readonly stateDiff?: SlotWords | undefined
  readonly movePrecompileToAddress?: Uint8Array | undefined
}

/** Values of the block that replace the real ones during a call. */
export interface BlockOverride {
  readonly number?: bigint | undefined
  readonly difficulty?: bigint | undefined
  readonly time?: bigint | undefined
  readonly gasLimit?: bigint | undefined
  readonly feeRecipient?: Uint8Array | undefined
  readonly prevRandao?: Uint8Array | undefined
  readonly baseFeePerGas?: bigint | undefined
  readonly blobBaseFee?: bigint | undefined
  readonly beaconRoot?: Uint8Array | undefined
  readonly withdrawals?: readonly Withdrawal[] | undefined
}
