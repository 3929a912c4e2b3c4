import { concatBytes } from '../../base/bytes.ts'
import { nativeHash } from '../../cosmos/transaction/nativeHash.ts'
import type { NativeResult } from '../parse/native.ts'
import { merkleRoot } from './merkle.ts'
import { bytesField, integerField } from './proto.ts'

/** What a header says of the transactions of its block. */
export const dataHash = (transactions: readonly Uint8Array[]): Uint8Array =>
  merkleRoot(transactions.map(nativeHash))

/** Of a result only what every node must agree on. */
const encodeResult = ({ code, data, gasWanted, gasUsed }: NativeResult): Uint8Array =>
  concatBytes(
    integerField(1, BigInt(code)),
    bytesField(2, data),
    integerField(5, gasWanted),
    integerField(6, gasUsed),
  )

/** What a header says of the results of the block before. */
export const resultsHash = (results: readonly NativeResult[]): Uint8Array =>
  merkleRoot(results.map(encodeResult))
