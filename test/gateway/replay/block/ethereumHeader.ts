import { RLP } from '@ethereumjs/rlp'
import { emptyBytes } from '../../../../src/base/encoding/bytes.ts'
import { sha256 } from './comet.ts'
import { compact, keccak } from './signing.ts'
import { emptyRoot } from './trie.ts'

/** An Ethereum header as of Prague, in the order of its hash. */
export interface EthereumHeader {
  readonly parentHash: Uint8Array
  readonly miner: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly timestamp: bigint
  readonly mixHash: Uint8Array
  readonly baseFee: bigint | undefined
}

const zeroHash = new Uint8Array(32)
export const noUncles = keccak(RLP.encode([]))
/** Of no requests: the hash of nothing. */
export const noRequests: Uint8Array = sha256(emptyBytes)

export type HeaderShape = 'london' | 'prague'

export const headerFields = (header: EthereumHeader, shape: HeaderShape): Uint8Array[] => [
  header.parentHash,
  noUncles,
  header.miner,
  header.stateRoot,
  header.transactionsRoot,
  header.receiptsRoot,
  header.logsBloom,
  emptyBytes,
  compact(header.number),
  compact(header.gasLimit),
  compact(header.gasUsed),
  compact(header.timestamp),
  emptyBytes,
  header.mixHash,
  new Uint8Array(8),
  ...(header.baseFee === undefined ? [] : [compact(header.baseFee)]),
  ...(shape === 'prague' ? [emptyRoot, emptyBytes, emptyBytes, zeroHash, noRequests] : []),
]

export const encodeHeader = (header: EthereumHeader): Uint8Array => RLP.encode(headerFields(header, 'prague'))
