import { keccak256 } from '../base/crypto/crypto.ts'
import { concatBytes, fromBigInt } from '../base/encoding/bytes.ts'
import type { Block } from '../chain/block/block.ts'
import type { Header } from '../chain/block/header.ts'
import type { Withdrawal } from '../chain/block/withdrawal.ts'

/**
 * All that determines a block beside its transactions. It comes from the engine for a produced block and from the
 * header for an imported one. The rest of the header follows from execution.
 */
export interface BlockInputs {
  readonly parent: Header
  readonly parentHash: Uint8Array
  readonly timestamp: bigint
  readonly beneficiary: Uint8Array
  readonly gasLimit: bigint
  readonly difficulty: bigint
  readonly mixHash: Uint8Array
  /** The nonce of the header, 8 bytes. */
  readonly nonce: Uint8Array
  readonly extraData: Uint8Array
  /** Used from Cancun on. */
  readonly parentBeaconBlockRoot: Uint8Array
  readonly ommers: readonly Header[]
  /** Used from Shanghai on. */
  readonly withdrawals: readonly Withdrawal[]
  /** The base fee of a block of a dev chain for which it was set; by default it follows from the parent. */
  readonly baseFee?: bigint | undefined
}

const noNonce = new Uint8Array(8)
const zeroHash = new Uint8Array(32)

/** The values that an engine decides. There is no proof of work, no beacon chain and no withdrawal. */
export interface BlockAttributes {
  /** The time of the block in seconds. */
  readonly time: number
  readonly beneficiary: Uint8Array
  /** The engine's hash of the block, which PREVRANDAO returns. */
  readonly engineHash: Uint8Array
  readonly gasLimit: bigint
  /** The base fee, where it was set on a dev chain. */
  readonly baseFee?: bigint | undefined
}

/** The solo engine has no block to hash, so parent and time, which are all that it decides, take its place. */
export const soloEngineHash = (parentHash: Uint8Array, time: number): Uint8Array =>
  keccak256(concatBytes(parentHash, fromBigInt(BigInt(time), 8)))

/** Returns what determined a block that exists. */
export const inputsOfBlock = (
  parent: { readonly header: Header; readonly hash: Uint8Array },
  { header, ommers, withdrawals }: Pick<Block, 'header' | 'ommers' | 'withdrawals'>,
): BlockInputs => ({
  parent: parent.header,
  parentHash: parent.hash,
  timestamp: header.timestamp,
  beneficiary: header.beneficiary,
  gasLimit: header.gasLimit,
  difficulty: header.difficulty,
  mixHash: header.mixHash,
  nonce: header.nonce,
  extraData: header.extraData,
  parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? zeroHash,
  ommers,
  withdrawals: withdrawals ?? [],
})

export const toBlockInputs = (
  parent: Header,
  parentHash: Uint8Array,
  attributes: BlockAttributes,
): BlockInputs => ({
  parent,
  parentHash,
  timestamp: BigInt(attributes.time),
  beneficiary: attributes.beneficiary,
  gasLimit: attributes.gasLimit,
  difficulty: 0n,
  mixHash: attributes.engineHash,
  nonce: noNonce,
  extraData: new Uint8Array(0),
  parentBeaconBlockRoot: zeroHash,
  ommers: [],
  withdrawals: [],
  baseFee: attributes.baseFee,
})
