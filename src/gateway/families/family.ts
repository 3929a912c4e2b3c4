import type { Dialect, MessageLayout } from '../../cosmos/transaction/dialect.ts'
import type { NativeQueries } from '../client/nativeQueries.ts'
import type { BlockParts } from '../convert/blockParts.ts'
import type { ConversionContext } from '../convert/conversionContext.ts'
import type { WrittenBlock } from '../follow/blockWriter.ts'
import type { NativeBlock, NativeResults } from '../parse/native.ts'
import type { ChainFacts } from './chainFacts.ts'
import type { ChainProbe } from './detect/chainProbe.ts'
import type { Remote } from './remote.ts'

/**
 * A kind of chain that the gateway can stand in front of. Everything that differs between such chains is a member here:
 * the rest of the gateway reads these members and never looks at the name. A new family is a literal of this type in a
 * file of its own, and a line in `families.ts`.
 */
export interface Family {
  /** By which operators name it (`gateway.family`) and logs tell of it. */
  readonly name: string
  /** The package of its EVM module's queries and messages, unless an operator names another. */
  readonly evmPackage: string
  readonly detection: Detection
  /** Asks the chain for what is needed to serve it; what an operator named is not asked for. */
  readonly readParameters: (chain: ChainProbe) => Promise<ChainParameters>
  readonly capabilities: Capabilities
  /** How the fee market's module keeps its base fee: in whole units, or times 10^18. */
  readonly baseFeeScale: 'whole' | 'decimal'
  /** How transactions that are sent to the chain are wrapped. */
  readonly messageLayout: MessageLayout
  readonly blocks: BlockRules
  /** Whether an answer to a query at a height holds for ever, so that it may be kept. */
  readonly isFinalAnswer: (path: string, answer: Uint8Array) => boolean
  /** What is asked of the chain's nodes while the gateway runs. */
  readonly openRemote: (queries: NativeQueries, signal: AbortSignal) => Promise<Remote>
}

/** How a chain shows that it is of a family. */
export type Detection =
  /** By what it answers. */
  | { readonly by: 'queries'; readonly matches: (chain: ChainProbe) => Promise<boolean> }
  /** By the release of cosmos/evm that its node says it is built from, where it answers as other families do. */
  | { readonly by: 'release'; readonly releases: RegExp }

export type ChainParameters = Pick<
  ChainFacts,
  'config' | 'feeDenom' | 'decimals' | 'evmPackage' | 'earliestState' | 'hasAppMempool'
>

/** What nodes of the family can do. */
export interface Capabilities {
  /** Calls run on state that the question changes. */
  readonly stateOverrides: boolean
  /** Calls can be traced, which access lists are made by. */
  readonly callTraces: boolean
  /** Calls tell the gas that they used, before it is rounded up to a share of their limit. */
  readonly maxUsedGas: boolean
  /** The EVM module tells the least price that all nodes take. */
  readonly globalMinGasPrice: boolean
  /** A transaction that CheckTx refuses for its nonce gap is kept all the same, and included when the gap is filled. */
  readonly nonceGapQueue: boolean
}

/** How native blocks become Ethereum blocks. */
export interface BlockRules {
  /** Which hash is the block's: CometBFT's, or that of the Ethereum header which the application commits to. */
  readonly hash: 'engine' | 'header'
  /** Whether the miner and the gas limit have to be asked for, as the block does not tell them. */
  readonly needsContext: boolean
  /** Makes header and receipts. Throws an UpstreamFault for a block that contradicts itself. */
  readonly assemble: (
    block: NativeBlock,
    results: NativeResults,
    context: ConversionContext,
    facts: ChainFacts,
  ) => BlockParts
  /** Asks for block 0, which no native block tells of; undefined where the chain begins with block 1. */
  readonly fetchGenesis?: (queries: NativeQueries, signal: AbortSignal) => Promise<WrittenBlock>
}

/** Returns the form of the transactions of a chain of this family. */
export const toDialect = (
  { messageLayout }: Pick<Family, 'messageLayout'>,
  { evmPackage, feeDenom }: Pick<ChainFacts, 'evmPackage' | 'feeDenom'>,
): Dialect => ({ evmPackage, feeDenom, messageLayout })
