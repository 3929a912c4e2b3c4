import { hash } from 'node:crypto'
import { blob, join, nested, text, uint } from '../wire.ts'

/** CometBFT's hashes: its Merkle trees are those of RFC 6962, its leaves protobuf. */

export const sha256 = (data: Uint8Array): Buffer => hash('sha256', data, 'buffer')

const leafMark = Uint8Array.of(0)
const innerMark = Uint8Array.of(1)
/** What CometBFT puts where there is nothing: the hash of nothing. */
export const emptyHash: Uint8Array = sha256(new Uint8Array(0))

/** Fields that stay the same from header to header are hashed once. */
const knownLeaves = new WeakMap<Uint8Array, Uint8Array>()

const hashLeaf = (value: Uint8Array): Uint8Array => {
  const known = knownLeaves.get(value) ?? sha256(join(leafMark, blob(1, value)))
  knownLeaves.set(value, known)
  return known
}

export const merkleRoot = (leaves: readonly Uint8Array[]): Uint8Array =>
  rootOf(leaves.map((leaf) => sha256(join(leafMark, leaf))))

/** From the hashes of leaves. */
const rootOf = (hashes: readonly Uint8Array[]): Uint8Array => {
  const [only] = hashes
  if (only === undefined) return emptyHash
  if (hashes.length === 1) return only
  let split = 1
  while (split * 2 < hashes.length) split *= 2
  return sha256(join(innerMark, rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split))))
}

export interface CometTime {
  readonly seconds: number
  readonly nanos: number
}

export interface CometHeader {
  readonly chainId: string
  readonly versionApp: number
  readonly height: number
  readonly time: CometTime
  /** Empty before the first block. */
  readonly lastHash: Uint8Array
  readonly lastPartsHash: Uint8Array
  readonly lastCommitHash: Uint8Array
  readonly dataHash: Uint8Array
  readonly validatorsHash: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  readonly consensusHash: Uint8Array
  readonly appHash: Uint8Array
  readonly lastResultsHash: Uint8Array
  readonly evidenceHash: Uint8Array
  readonly proposer: Uint8Array
}

/** How many parts a block has here: each fits into one. */
export const partsOf = (blockHash: Uint8Array): number => (blockHash.length === 0 ? 0 : 1)

export const headerHash = (header: CometHeader): Uint8Array => {
  const parts = join(uint(1, partsOf(header.lastHash)), blob(2, header.lastPartsHash))
  const leaf = (value: Uint8Array): Uint8Array => sha256(join(leafMark, value))
  return rootOf([
    leaf(join(uint(1, 11), uint(2, header.versionApp))),
    leaf(text(1, header.chainId)),
    leaf(uint(1, header.height)),
    leaf(join(uint(1, header.time.seconds), uint(2, header.time.nanos))),
    leaf(join(blob(1, header.lastHash), nested(2, parts))),
    leaf(blob(1, header.lastCommitHash)),
    hashLeaf(header.dataHash),
    hashLeaf(header.validatorsHash),
    hashLeaf(header.nextValidatorsHash),
    hashLeaf(header.consensusHash),
    leaf(blob(1, header.appHash)),
    hashLeaf(header.lastResultsHash),
    hashLeaf(header.evidenceHash),
    hashLeaf(header.proposer),
  ])
}

/** Of a block's transactions: each is a leaf by its hash. */
export const dataHash = (transactions: readonly Uint8Array[]): Uint8Array =>
  merkleRoot(transactions.map((bytes) => sha256(bytes)))

export interface HashedResult {
  readonly code: number
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
}

/** Of a block's results, as the next header has it. */
export const resultsHash = (results: readonly HashedResult[]): Uint8Array =>
  merkleRoot(
    results.map(({ code, data, gasWanted, gasUsed }) =>
      join(uint(1, code), blob(2, data), uint(5, gasWanted), uint(6, gasUsed)),
    ),
  )

/** RFC 3339 with as many digits of a second as it takes. */
export const toRfc3339 = ({ seconds, nanos }: CometTime): string => {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  if (nanos === 0) return `${whole}Z`
  return `${whole}.${String(nanos).padStart(9, '0').replace(/0+$/, '')}Z`
}
