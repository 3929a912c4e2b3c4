import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { decodeRlp, encodeRlp } from '../../base/encoding/rlp.ts'
import { RlpListReader } from '../../chain/block/rlpListReader.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { encodeInteger } from '../../chain/transaction/encode.ts'
import { SnapshotError } from '../../state/snapshot/snapshotError.ts'

/** The version of metadata and chunks; nodes reject snapshots of other versions. */
export const snapshotFormat = 1

/** The metadata that a snapshot is offered with. It is deterministic for a chain and a height. */
export interface SnapshotMetadata {
  /** The hash of the chain's genesis block; `configHash` is the hash of its configuration. */
  readonly genesisHash: Uint8Array
  readonly configHash: Uint8Array
  /** The hash of the block whose state the snapshot holds. */
  readonly blockHash: Uint8Array
  /** The number of chunks that hold the history (see history.ts); the state follows. */
  readonly historyChunks: number
  /** The keccak256 of each chunk. */
  readonly chunks: readonly Uint8Array[]
}

const hashBytes = 32

export const encodeMetadata = (metadata: SnapshotMetadata): Uint8Array =>
  encodeRlp([
    metadata.genesisHash,
    metadata.configHash,
    metadata.blockHash,
    encodeInteger(BigInt(metadata.historyChunks)),
    Buffer.concat(metadata.chunks),
  ])

/** Decodes metadata; throws a SnapshotError or an RlpError. */
export const decodeMetadata = (bytes: Uint8Array): SnapshotMetadata => {
  const fields = new RlpListReader(decodeRlp(bytes), 'snapshot')
  const genesisHash = fields.fixed('genesisHash', hashBytes)
  const configHash = fields.fixed('configHash', hashBytes)
  const blockHash = fields.fixed('blockHash', hashBytes)
  const historyChunks = Number(fields.integer('historyChunks', 4))
  const hashes = fields.bytes('chunks')
  fields.end()
  if (hashes.length % hashBytes !== 0) throw new SnapshotError('the hashes of the chunks are cut short')
  const chunks = Array.from({ length: hashes.length / hashBytes }, (_, index) =>
    hashes.subarray(index * hashBytes, (index + 1) * hashBytes),
  )
  if (historyChunks < 1 || historyChunks > chunks.length)
    throw new SnapshotError(`${historyChunks} of ${chunks.length} chunks are the history`)
  return { genesisHash, configHash, blockHash, historyChunks, chunks }
}

/** Returns a hash of the chain's rules: the keccak256 of its config with sorted keys. */
export const hashConfig = ({ source }: Pick<ChainConfig, 'source'>): Uint8Array =>
  keccak256(Buffer.from(JSON.stringify(sorted(source))))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}

/** Encodes the lengths of chunks with four bytes each. */
export const encodeLengths = (lengths: readonly number[]): Uint8Array =>
  Buffer.concat(lengths.map((length) => fromBigInt(BigInt(length), 4)))

export const decodeLengths = (bytes: Uint8Array): readonly number[] =>
  Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) =>
    Number(toBigInt(bytes.subarray(index * 4, index * 4 + 4))),
  )
