import type { Header } from '../chain/block/header.ts'
import type { Withdrawal } from '../chain/block/withdrawal.ts'

/**
 * What decides a block beside its transactions. An engine gives it for a block that is made, a header for one that is
 * imported; all else of the header follows from execution.
 */
export interface BlockInputs {
  readonly parent: Header
  readonly parentHash: Uint8Array
  readonly timestamp: bigint
  readonly beneficiary: Uint8Array
  readonly gasLimit: bigint
  readonly difficulty: bigint
  readonly mixHash: Uint8Array
  /** 8 bytes. */
  readonly nonce: Uint8Array
  readonly extraData: Uint8Array
  /** Used from Cancun on. */
  readonly parentBeaconBlockRoot: Uint8Array
  readonly ommers: readonly Header[]
  /** Used from Shanghai on. */
  readonly withdrawals: readonly Withdrawal[]
}

const noNonce = new Uint8Array(8)
const zeroHash = new Uint8Array(32)

/** What an engine decides; there is no work to prove, no beacon chain and nothing to withdraw. */
export interface BlockAttributes {
  /** Seconds. */
  readonly time: number
  readonly beneficiary: Uint8Array
  /** The engine's own hash of the block, which PREVRANDAO gives. */
  readonly engineHash: Uint8Array
  readonly gasLimit: bigint
}

export const toBlockInputs = (
  parent: Header,
  parentHash: Uint8Array,
  decision: BlockAttributes,
): BlockInputs => ({
  parent,
  parentHash,
  timestamp: BigInt(decision.time),
  beneficiary: decision.beneficiary,
  gasLimit: decision.gasLimit,
  difficulty: 0n,
  mixHash: decision.engineHash,
  nonce: noNonce,
  extraData: new Uint8Array(0),
  parentBeaconBlockRoot: zeroHash,
  ommers: [],
  withdrawals: [],
})
