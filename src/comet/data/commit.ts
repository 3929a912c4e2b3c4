import { concatBytes, emptyBytes } from '../../base/encoding/bytes.ts'
import {
  bytesField,
  encodeVarint,
  fixedField,
  integerField,
  messageField,
} from '../../base/encoding/protobuf/protoWriter.ts'
import { encodeUtf8 } from '../../base/encoding/utf8.ts'
import { parseBase64, parseHeight, parseHex, parseList, parseObject, parseUint32 } from './fields.ts'
import { encodeBlockId, encodeTime } from './headerHash.ts'
import type { NativeBlockId, NativeHeader, NativeTime } from './nativeBlock.ts'
import { parseTime } from './nativeTime.ts'
import { parseBlockId, parseHeader } from './parseHeader.ts'
import { UpstreamError } from './upstreamError.ts'

/** A vote in a commit. Only votes for the block count; the others were absent, or voted for no block. */
export interface CommitSignature {
  /** CometBFT's `block_id_flag`. */
  readonly flag: number
  readonly isForBlock: boolean
  /** The address of the validator; empty if it was absent. */
  readonly address: Uint8Array
  readonly time: NativeTime
  readonly signature: Uint8Array
}

/** The votes by which validators decided on a block, one for each member of their set. */
export interface Commit {
  readonly height: number
  readonly round: number
  readonly blockId: NativeBlockId
  readonly signatures: readonly CommitSignature[]
}

/** A header with the commit that is said to be for it. */
export interface SignedHeader {
  readonly header: NativeHeader
  readonly commit: Commit
}

/** CometBFT's limit of validators that vote. */
const maxSignatures = 10_000
const maxRound = 0x7fff_ffff
const maxSignatureBytes = 96
const flags = { absent: 1, commit: 2, nil: 3 } as const

const parseSignature = (value: unknown): CommitSignature => {
  const fields = parseObject(value, 'signature')
  const flag = parseUint32(fields.block_id_flag, 'block_id_flag')
  const address = parseHex(fields.validator_address, 'validator_address', 20, 0)
  const signature = parseBase64(fields.signature, 'signature', maxSignatureBytes)
  if (flag === flags.absent) {
    if (address.length > 0 || signature.length > 0)
      throw new UpstreamError('a validator that was absent signed')
  } else if (flag !== flags.commit && flag !== flags.nil)
    throw new UpstreamError(`${flag} is not a kind of a vote`)
  else if (address.length === 0 || signature.length === 0) throw new UpstreamError('a vote has no signature')
  return {
    flag,
    isForBlock: flag === flags.commit,
    address,
    time: parseTime(fields.timestamp, 'timestamp'),
    signature,
  }
}

const parseCommit = (value: unknown): Commit => {
  const fields = parseObject(value, 'commit')
  const round = parseUint32(fields.round, 'commit.round')
  if (round > maxRound) throw new UpstreamError(`${round} is not a round`)
  return {
    height: parseHeight(fields.height, 'commit.height'),
    round,
    blockId: parseBlockId(fields.block_id, 'commit.block_id'),
    signatures: parseList(fields.signatures, 'commit.signatures', maxSignatures).map(parseSignature),
  }
}

/** Parses `{header, commit}`. */
export const parseSignedHeader = (value: unknown): SignedHeader => {
  const { header, commit } = parseObject(value, 'signed_header')
  return { header: parseHeader(header), commit: parseCommit(commit) }
}

/** Parses the reply of `commit`; `isCanonical` says whether the votes are those in the next block. */
export const parseCommitReply = (reply: unknown): SignedHeader & { readonly isCanonical: boolean } => {
  const { signed_header: signed, canonical } = parseObject(reply, 'commit')
  return { ...parseSignedHeader(signed), isCanonical: canonical === true }
}

const precommit = 2n

/**
 * Returns what validators sign for a block, by the time that each vote has: CometBFT's canonical vote, in protobuf with
 * its length before it.
 */
export const signBytesOf = (
  chainId: string,
  { height, round, blockId }: Commit,
): ((time: NativeTime) => Uint8Array) => {
  const before = concatBytes(
    integerField(1, precommit),
    fixedField(2, BigInt(height)),
    fixedField(3, BigInt(round)),
    blockId.hash.length === 0 ? emptyBytes : messageField(4, encodeBlockId(blockId)),
  )
  const after = bytesField(6, encodeUtf8(chainId))
  return (time) => {
    const vote = concatBytes(before, messageField(5, encodeTime(time)), after)
    return concatBytes(encodeVarint(BigInt(vote.length)), vote)
  }
}
