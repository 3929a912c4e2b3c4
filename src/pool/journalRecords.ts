import { keccak256 } from '../base/crypto/crypto.ts'
import { toHex } from '../base/encoding/hex.ts'
import { readRecords } from '../base/files/recordFile.ts'

/** The records of the journal: transactions, and marks that take some back. */

/** The largest record, more than any transaction with its blobs; a greater length is damage. */
const maxRecordBytes = 2 * 1024 * 1024

/** The first byte of a mark. Transactions begin with their type, from 1 on, or with that of a list. */
const markByte = 0
const hashBytes = 32
/** The mark that takes back all records before it. */
export const forgetAll = Uint8Array.of(markByte)

/** Returns the mark that takes back this transaction. */
export const toMark = (payload: Uint8Array): Uint8Array => Buffer.concat([forgetAll, keccak256(payload)])

interface JournalContent {
  readonly payloads: readonly Uint8Array[]
  /** The number of records that were taken back, with the marks that did so. */
  readonly forgotten: number
  /** The number of records with a wrong checksum, including a torn end. */
  readonly damaged: number
  /** The offset at which the last complete record ends. */
  readonly end: number
}

/** Returns the payloads of transactions that no later mark takes back. */
const withoutForgotten = (payloads: readonly Uint8Array[]): readonly Uint8Array[] => {
  if (!payloads.some(([first]) => first === markByte)) return payloads
  const kept = new Map<string, Uint8Array>()
  for (const payload of payloads) {
    if (payload[0] !== markByte) kept.set(toHex(keccak256(payload)), payload)
    else if (payload.length === 1) kept.clear()
    else if (payload.length === 1 + hashBytes) kept.delete(toHex(payload.subarray(1)))
  }
  return [...kept.values()]
}

export const readJournal = (file: Uint8Array): JournalContent => {
  const { payloads, ...rest } = readRecords(file, maxRecordBytes)
  const kept = withoutForgotten(payloads)
  return { ...rest, payloads: kept, forgotten: payloads.length - kept.length }
}
