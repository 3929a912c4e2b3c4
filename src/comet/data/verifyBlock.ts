import { equalBytes } from '../../base/encoding/bytes.ts'
import { dataHash, resultsHash } from './contentHashes.ts'
import { headerHash } from './headerHash.ts'
import type { NativeBlock, NativeBlockResults, NativeHeader } from './nativeBlock.ts'
import { ProvenLie } from './provenLie.ts'
import { UpstreamError } from './upstreamError.ts'

export interface ExpectedBlock {
  /** CometBFT's id of the chain. */
  readonly chainId: string
  /** The height that was requested. */
  readonly height?: number | undefined
  /** The parent block, if it is known. */
  readonly parent?: { readonly height: number; readonly hash: Uint8Array } | undefined
}

const assert = (holds: boolean, height: number, problem: string): void => {
  if (!holds) throw new UpstreamError(`block ${height}: ${problem}`)
}

/** Checks that a block is of the chain, has the reported hash and the content of its header, and follows its parent. */
export const verifyBlock = (
  { hash, header, transactions }: NativeBlock,
  { chainId, height, parent }: ExpectedBlock,
): void => {
  const check = (holds: boolean, problem: string) => assert(holds, header.height, problem)
  check(header.chainId === chainId, `is of chain ${header.chainId}, not of ${chainId}`)
  check(height === undefined || header.height === height, `came for block ${height}`)
  if (!equalBytes(headerHash(header), hash))
    throw new ProvenLie('other header', header.height, 'its hash is not that of its header')
  if (!equalBytes(dataHash(transactions), header.dataHash))
    throw new ProvenLie('other content', header.height, 'its transactions are not those of its header')
  if (parent?.height === header.height - 1)
    check(equalBytes(header.lastBlockId.hash, parent.hash), 'it does not follow the block before it')
}

/** Checks that results are the ones that the next header commits to. */
export const verifyResults = (
  { height, transactions, appHash }: NativeBlockResults,
  next: NativeHeader,
): void => {
  assert(next.height === height + 1, height, `block ${next.height} is not the one after it`)
  if (!equalBytes(resultsHash(transactions), next.lastResultsHash))
    throw new ProvenLie('other results', height, 'its results are not those that the next header names')
  if (appHash !== undefined) verifyAppHash(height, appHash, next)
}

/** Checks that the application hash after a block is the one that the next header commits to. */
export const verifyAppHash = (height: number, appHash: Uint8Array, next: NativeHeader): void => {
  if (!equalBytes(appHash, next.appHash))
    throw new ProvenLie(
      'other results',
      height,
      'the state after it is not the one that the next header names',
    )
}
