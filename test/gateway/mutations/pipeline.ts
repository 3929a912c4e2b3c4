import type { NativeBlock, NativeBlockResults } from '../../../src/comet/data/nativeBlock.ts'
import { parseBlock } from '../../../src/comet/data/parseBlock.ts'
import { parseNewBlock } from '../../../src/comet/data/parseNewBlock.ts'
import { parseResults } from '../../../src/comet/data/parseResults.ts'
import { verifyBlock, verifyResults } from '../../../src/comet/data/verifyBlock.ts'
import type { ChainInfo } from '../../../src/cosmos/chainInfo.ts'
import { checkConsistency } from '../../../src/families/convert/consistency.ts'
import type { ConversionContext } from '../../../src/families/convert/conversionContext.ts'
import { convertBlock } from '../../../src/families/convert/convertBlock.ts'
import type { ConvertedBlock } from '../../../src/families/convert/convertedBlock.ts'

/** What stands between a reply and the store, without the wires: parsed, verified, converted, looked over once more. */

export interface Checks {
  readonly verifyBlock: typeof verifyBlock
  readonly verifyResults: typeof verifyResults
  readonly checkCoherence: typeof checkConsistency
}

export const allChecks: Checks = { verifyBlock, verifyResults, checkCoherence: checkConsistency }

/** For the control: what the suite says when nobody checks. */
export const noChecks: Checks = {
  verifyBlock: () => undefined,
  verifyResults: () => undefined,
  checkCoherence: () => undefined,
}

/** The text of the replies for one block. */
export interface Replies {
  readonly block: string
  readonly results: string
  /** In place of both, where the block came by itself. */
  readonly event: string | undefined
  readonly next: string
}

export interface BlockUnderTest {
  readonly height: number
  readonly parent: { readonly height: number; readonly hash: Uint8Array } | undefined
  readonly surroundings: ConversionContext
  readonly facts: ChainInfo
}

export interface Accepted {
  readonly block: NativeBlock
  readonly results: NativeBlockResults
  readonly converted: ConvertedBlock
}

const opened = (replies: Replies): { block: NativeBlock; results: NativeBlockResults } => {
  if (replies.event !== undefined) {
    const { block, results } = parseNewBlock(JSON.parse(replies.event))
    return { block, results: results ?? parseResults(JSON.parse(replies.results)) }
  }
  return { block: parseBlock(JSON.parse(replies.block)), results: parseResults(JSON.parse(replies.results)) }
}

/** Throws an UpstreamFault, or a SyntaxError where a reply is not JSON. */
export const accept = (
  replies: Replies,
  { height, parent, surroundings, facts }: BlockUnderTest,
  checks: Checks,
): Accepted => {
  const { block, results } = opened(replies)
  const chainId = facts.nativeChainId
  checks.verifyBlock(block, { chainId, height, parent })
  const next = parseBlock(JSON.parse(replies.next))
  checks.verifyBlock(next, { chainId, height: height + 1, parent: { height, hash: block.hash } })
  checks.verifyResults(results, next.header)
  const converted = convertBlock(block, results, surroundings, facts)
  checks.checkCoherence(converted)
  return { block, results, converted }
}
