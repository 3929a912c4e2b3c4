import { concatBytes } from '../../base/encoding/bytes.ts'
import { bytesField, integerField } from '../../base/encoding/protobuf/protoWriter.ts'
import { nativeHash } from '../../cosmos/transaction/nativeHash.ts'
import { merkleLeaf, merkleRoot, merkleRootOfLeaves } from './merkle.ts'
import type { NativeResult } from './nativeBlock.ts'

/** Returns the data hash of a header: the Merkle root of the block's transaction hashes. */
export const dataHash = (transactions: readonly Uint8Array[]): Uint8Array =>
  merkleRoot(transactions.map(nativeHash))

/** Encodes the deterministic fields of a result. */
const encodeResult = ({ code, data, gasWanted, gasUsed }: NativeResult): Uint8Array =>
  concatBytes(
    integerField(1, BigInt(code)),
    bytesField(2, data),
    integerField(5, gasWanted),
    integerField(6, gasUsed),
  )

/** Returns CometBFT's Merkle leaf of a result. */
export const resultLeaf = (result: NativeResult): Uint8Array =>
  result.leaf ?? merkleLeaf(encodeResult(result))

/** Returns the results hash that the next header holds. */
export const resultsHash = (results: readonly NativeResult[]): Uint8Array =>
  merkleRootOfLeaves(results.map(resultLeaf))
