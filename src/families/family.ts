import type { NativeBlock, NativeBlockResults } from '../comet/data/nativeBlock.ts'
import type { NativeQueryClient } from '../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../cosmos/chainInfo.ts'
import type { Dialect } from '../cosmos/transaction/dialect.ts'
import type { ProofKind } from '../light/state/proofKind.ts'
import type { BlockParts } from './convert/blockParts.ts'
import type { BlockWrite } from './convert/blockWrite.ts'
import type { ConversionContext } from './convert/conversionContext.ts'
import type { ChainProbe } from './detect/chainProbe.ts'
import type { Remote } from './remote.ts'
import type { FamilyTraits } from './traits.ts'

/**
 * A kind of chain that a gateway can serve. Every difference between such chains is a member here: the rest of the
 * gateway reads these members and never compares the name. A new family is a literal of this type in a file of its own,
 * and a line in `families.ts`.
 */
export interface Family extends FamilyTraits {
  /** The name of the family in the setting `gateway.family` and in logs. */
  readonly name: string
  /** The package of its EVM module's queries and messages, unless the operator configured another. */
  readonly evmPackage: string
  /** The package of its fee market module's queries, if `evmPackage` does not tell it (`a.feemarket.v1` beside `a.evm.v1`). */
  readonly feemarketPackage?: string
  readonly detection: Detection
  /** Queries the values that are needed to serve the chain, except those that the operator configured. */
  readonly readParameters: (chain: ChainProbe) => Promise<ChainParameters>
  readonly blocks: BlockRules
  /** How its nodes prove values of states. */
  readonly proofs: ProofKind
  /** Returns whether the response of a query at a height never changes, so that it may be cached. */
  readonly isFinalResponse: (path: string, response: Uint8Array) => boolean
  /** Opens the queries that the gateway makes while it runs. `queryTimeout` is that of one query, in milliseconds. */
  readonly openRemote: (
    queries: NativeQueryClient,
    chainInfo: ChainInfo,
    queryTimeout: number,
    signal: AbortSignal,
  ) => Promise<Remote>
}

/** How a chain is recognized as one of a family. */
export type Detection =
  /** By the queries that it answers. */
  | { readonly by: 'queries'; readonly matches: (chain: ChainProbe) => Promise<boolean> }
  /** By the release of cosmos/evm that its node reports, if it answers the same queries as other families. */
  | { readonly by: 'release'; readonly releases: RegExp }

export type ChainParameters = Pick<
  ChainInfo,
  'config' | 'feeDenom' | 'decimals' | 'evmPackage' | 'earliestState' | 'hasAppMempool' | 'needsStateWitness'
>

/** The rules by which native blocks are converted to Ethereum blocks. */
export interface BlockRules {
  /** The hash of a block: CometBFT's, or that of the Ethereum header that the application commits to. */
  readonly hash: 'engine' | 'header'
  /** Whether the miner and the gas limit must be queried, because the block does not contain them. */
  readonly needsContext: boolean
  /** Assembles header and receipts. Throws an `UpstreamError` for a block that contradicts itself. */
  readonly assemble: (
    block: NativeBlock,
    results: NativeBlockResults,
    context: ConversionContext,
    chainInfo: ChainInfo,
  ) => BlockParts
  /** Fetches block 0, which is in no native block; undefined if the chain begins with block 1. */
  readonly fetchGenesis?: (queries: NativeQueryClient, signal: AbortSignal) => Promise<BlockWrite>
}

/** Returns the dialect of a chain of this family. */
export const toDialect = (
  { messageLayout }: Pick<FamilyTraits, 'messageLayout'>,
  { evmPackage, feeDenom }: Pick<ChainInfo, 'evmPackage' | 'feeDenom'>,
): Dialect => ({ evmPackage, feeDenom, messageLayout })
