import { keccak256 } from '../base/crypto/crypto.ts'
import { toHex } from '../base/encoding/hex.ts'
import { findRecord, readRecords } from '../base/files/recordFile.ts'

/** The records of the journal: transactions, and marks that take some back. */

/** The largest record, more than any transaction with its blobs; a greater length is damage. */
const maxRecordBytes = 2 * 1024 * 1024

/** The first byte of a mark. Transactions begin with their type, from 1 on, or with that of a list. */
const markByte = 0
const hashBytes = 32
/** The mark that reverts all records before it. */
export const forgetAll = Uint8Array.of(markByte)

/** Returns the mark that reverts this transaction. */
export const toMark = (payload: Uint8Array): Uint8Array => Buffer.concat([forgetAll, keccak256(payload)])

interface JournalContent {
  readonly payloads: readonly Uint8Array[]
  /** The number of records that were reverted, with the marks that did so. */
  readonly forgotten: number
  /** The number of places that are damaged, including a torn end. */
  readonly damaged: number
  /** The offset at which the last complete record ends. */
  readonly end: number
}

/** Returns the payloads of transactions that no later mark reverts. */
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

/** Reads what follows a damaged length, and whatever follows the next ones: the transactions alone. */
const readBehind = (file: Uint8Array, from: number): Omit<JournalContent, 'forgotten'> => {
  const payloads: Uint8Array[] = []
  let damaged = 0
  let end = from
  for (
    let next: number | undefined = from;
    next !== undefined;
    next = findRecord(file, end, maxRecordBytes)
  ) {
    const found = readRecords(file.subarray(next), maxRecordBytes)
    payloads.push(...found.payloads.filter(([first]) => first !== markByte))
    damaged += found.damaged
    end = next + found.end
  }
  return { payloads, damaged, end }
}

export const readJournal = (file: Uint8Array): JournalContent => {
  const { payloads, damaged, end } = readRecords(file, maxRecordBytes)
  const kept = withoutForgotten(payloads)
  const found = { damaged, end, payloads: kept, forgotten: payloads.length - kept.length }
  const next = findRecord(file, end, maxRecordBytes)
  if (next === undefined) return found
  // Marks from there on are not believed: they may be the content of a transaction, and a transaction too many does no harm.
  const { payloads: later, damaged: laterDamaged, end: laterEnd } = readBehind(file, next)
  return { ...found, payloads: [...kept, ...later], damaged: damaged + laterDamaged, end: laterEnd }
}
