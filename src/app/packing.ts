import { decodeTransaction } from '../chain/transaction/decode.ts'
import type { RecoveredTransaction as Candidate } from '../chain/transaction/transaction.ts'

/**
 * The format in which lists travel between the main thread and the threads that execute blocks. Each list is one byte array,
 * because the cost of a clone grows with the number of buffers, not of bytes. Numbers are little-endian. Each
 * transaction is its hash, its sender, the length of its canonical form as u32, and that form.
 */

const hashBytes = 32
const addressBytes = 20
const headBytes = hashBytes + addressBytes + 4

/** A transaction whose sender is known. The other thread decodes it again, which is cheaper than cloning it. */
export interface RecoveredTransaction {
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  readonly sender: Uint8Array
}

export const packTransactions = (transactions: readonly RecoveredTransaction[]): Uint8Array => {
  const packed = new Uint8Array(transactions.reduce((sum, { raw }) => sum + headBytes + raw.length, 0))
  const view = new DataView(packed.buffer)
  let at = 0
  for (const { raw, hash, sender } of transactions) {
    packed.set(hash, at)
    packed.set(sender, at + hashBytes)
    view.setUint32(at + hashBytes + addressBytes, raw.length, true)
    packed.set(raw, at + headBytes)
    at += headBytes + raw.length
  }
  return packed
}

/** Decodes packed transactions; the results are views into `packed`. */
export const unpackTransactions = (packed: Uint8Array): readonly RecoveredTransaction[] => {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const transactions: RecoveredTransaction[] = []
  for (let at = 0; at < packed.length; ) {
    const end = at + headBytes + view.getUint32(at + hashBytes + addressBytes, true)
    transactions.push({
      hash: packed.subarray(at, at + hashBytes),
      sender: packed.subarray(at + hashBytes, at + hashBytes + addressBytes),
      raw: packed.subarray(at + headBytes, end),
    })
    at = end
  }
  return transactions
}

/** Decodes packed transactions and their content. */
export const unpackCandidates = (packed: Uint8Array): readonly Candidate[] =>
  unpackTransactions(packed).map((sent) => ({ ...sent, transaction: decodeTransaction(sent.raw) }))

/** Concatenates hashes or addresses. */
export const packFixed = (parts: readonly Uint8Array[]): Uint8Array => {
  const packed = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    packed.set(part, at)
    at += part.length
  }
  return packed
}

const unpackParts = (packed: Uint8Array, length: number): readonly Uint8Array[] =>
  Array.from({ length: packed.length / length }, (_, index) =>
    packed.subarray(index * length, (index + 1) * length),
  )

export const unpackHashes = (packed: Uint8Array): readonly Uint8Array[] => unpackParts(packed, hashBytes)

export const unpackAddresses = (packed: Uint8Array): readonly Uint8Array[] =>
  unpackParts(packed, addressBytes)
