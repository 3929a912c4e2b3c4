import { equalBytes } from '../../base/bytes.ts'
import type { NativeBlock, NativeHeader, NativeResults } from '../parse/native.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import { dataHash, resultsHash } from './contentHashes.ts'
import { headerHash } from './headerHash.ts'

export interface Expected {
  /** CometBFT's name of the chain. */
  readonly chainId: string
  /** The height that was asked for. */
  readonly height?: number | undefined
  /** The block before, where it is known. */
  readonly parent?: { readonly height: number; readonly hash: Uint8Array } | undefined
}

const demand = (holds: boolean, height: number, problem: string): void => {
  if (!holds) throw new UpstreamFault(`block ${height}: ${problem}`)
}

/** That a block is of the chain, has the hash that is said, holds what its header says and follows its parent. */
export const verifyBlock = (
  { hash, header, transactions }: NativeBlock,
  { chainId, height, parent }: Expected,
): void => {
  const check = (holds: boolean, problem: string) => demand(holds, header.height, problem)
  check(header.chainId === chainId, `is of chain ${header.chainId}, not of ${chainId}`)
  check(height === undefined || header.height === height, `came for block ${height}`)
  check(equalBytes(headerHash(header), hash), 'its hash is not that of its header')
  check(equalBytes(dataHash(transactions), header.dataHash), 'its transactions are not those of its header')
  if (parent?.height === header.height - 1)
    check(equalBytes(header.lastBlockId.hash, parent.hash), 'it does not follow the block before it')
}

/** That results are those which the next header commits to. */
export const verifyResults = ({ height, transactions, appHash }: NativeResults, next: NativeHeader): void => {
  demand(next.height === height + 1, height, `block ${next.height} is not the one after it`)
  demand(
    equalBytes(resultsHash(transactions), next.lastResultsHash),
    height,
    'its results are not those that the next header names',
  )
  demand(
    appHash === undefined || equalBytes(appHash, next.appHash),
    height,
    'the state after it is not the one that the next header names',
  )
}
