import type { Logger } from '../../base/logging/log.ts'
import type { ResultsLimits } from '../../comet/client/resultsStream.ts'
import type { ProvenLie } from '../../comet/data/provenLie.ts'
import { UntakenBlockError, UpstreamError } from '../../comet/data/upstreamError.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { HeaderProofs } from '../../light/headerProofs.ts'
import { TrustError } from '../../light/trustError.ts'
import type { UpstreamClient } from '../upstreams/upstreamClient.ts'
import type { BlockWriter } from './blockWriter.ts'
import type { ConversionContextReader } from './contextReader.ts'

export interface FollowOptions {
  readonly chainInfo: ChainInfo
  /** The first height of an empty store; undefined: the lowest that an upstream has. */
  readonly from: number | undefined
  readonly callTimeoutMs: number
  /** The limits of a block's results; undefined: the default ones. */
  readonly resultsLimits?: ResultsLimits | undefined
  /** Whether a block is served only when the next one has proven its results. */
  readonly holdNewest?: boolean | undefined
  /** How long the node that is followed may give no block while another one has the next. */
  readonly leadPatienceMs?: number | undefined
}

export interface FollowDependencies {
  readonly upstreams: UpstreamClient
  readonly contextReader: ConversionContextReader
  readonly writer: BlockWriter
  /** Proves headers; undefined if they are believed. */
  readonly proofs?: HeaderProofs | undefined
  /** Called with each lie that is proven, before its node is quarantined. */
  readonly onLie?: ((node: string, lie: ProvenLie) => void) | undefined
  /** Returns CometBFT's hash of a stored block. */
  readonly nativeHashAt: (height: number) => Uint8Array | undefined
  readonly log: Logger
  /** Called with the height of the chain, which may be lower than before: what is proven, or what the node that is followed claims. */
  readonly onTarget: (height: number) => void
  readonly onQuarantine: (node: string, reason: string, isLie: boolean) => void
  /** Called when a block cannot be taken, each time that it was tried, and with undefined when it was taken. */
  readonly onUntaken: (untaken: UntakenBlock | undefined) => void
  /** Called with the number of native transactions of a block whose Ethereum messages are not understood. */
  readonly onUndecoded?: ((count: number) => void) | undefined
}

/** A block that cannot be taken, so that the store ends below it. */
export interface UntakenBlock {
  readonly height: number
  readonly reason: string
}

/** Returns whether an error is a finding about what a node said, and not a failure to say it. */
export const isJudgement = (error: unknown): error is Error =>
  error instanceof UpstreamError || error instanceof UntakenBlockError || error instanceof TrustError
