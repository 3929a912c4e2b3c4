import { concatBytes } from '../../base/encoding/bytes.ts'
import { bytesField, integerField, messageField } from '../../base/encoding/protobuf/protoWriter.ts'
import { encodeUtf8 } from '../../base/encoding/utf8.ts'
import { merkleRoot } from './merkle.ts'
import type { NativeBlockId, NativeHeader, NativeTime } from './nativeBlock.ts'

export const encodeTime = ({ seconds, nanos }: NativeTime): Uint8Array =>
  concatBytes(integerField(1, seconds), integerField(2, BigInt(nanos)))

export const encodeBlockId = ({ hash, partsTotal, partsHash }: NativeBlockId): Uint8Array =>
  concatBytes(
    bytesField(1, hash),
    messageField(2, concatBytes(integerField(1, BigInt(partsTotal)), bytesField(2, partsHash))),
  )

/** Encodes a single value, which is hashed as a message with one field. */
const value = (bytes: Uint8Array): Uint8Array => bytesField(1, bytes)

/** Returns the hash of a block, which is that of its header and the same from CometBFT 0.34 on. */
export const headerHash = (header: NativeHeader): Uint8Array =>
  merkleRoot([
    concatBytes(integerField(1, header.versionBlock), integerField(2, header.versionApp)),
    value(encodeUtf8(header.chainId)),
    integerField(1, BigInt(header.height)),
    encodeTime(header.time),
    encodeBlockId(header.lastBlockId),
    value(header.lastCommitHash),
    value(header.dataHash),
    value(header.validatorsHash),
    value(header.nextValidatorsHash),
    value(header.consensusHash),
    value(header.appHash),
    value(header.lastResultsHash),
    value(header.evidenceHash),
    value(header.proposerAddress),
  ])
