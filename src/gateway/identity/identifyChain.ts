import type { Logger } from '../../base/logging/log.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { ChainOverrides } from '../../families/detect/chainProbe.ts'
import { detectChain } from '../../families/detect/detectChain.ts'
import { DetectionError } from '../../families/detect/detectionQueries.ts'
import { createStateWitness } from '../../families/detect/evmParams.ts'
import type { UpstreamClient } from '../upstreams/upstreamClient.ts'
import { confirmChange } from './confirmChange.ts'
import { loadChainInfo } from './savedChain.ts'

export interface IdentifiedChain {
  readonly chainInfo: ChainInfo
  /** The height of the chain; undefined if no node answers. */
  readonly height: number | undefined
}

/**
 * Detects the chain behind the upstreams. While none of them answers, what a home knows of its chain is used, so that
 * its blocks can be served. Throws if it knows nothing.
 */
export const identifyChain = async (
  home: string,
  overrides: ChainOverrides & { readonly nativeChainId?: string | undefined },
  { upstreams, log }: { readonly upstreams: UpstreamClient; readonly log: Logger },
  signal: AbortSignal,
): Promise<IdentifiedChain> => {
  try {
    const status = await upstreams.open(signal)
    const found = await detectChain(upstreams, status, overrides, signal, log)
    const known = loadChainInfo(home, overrides)
    const chainInfo = await confirmChange({ known, found, overrides }, { upstreams, log }, signal)
    return { chainInfo, height: status.latestHeight }
  } catch (error) {
    const isAway = error instanceof NativeQueryError && error.kind === 'unavailable' && !signal.aborted
    const chainInfo = isAway ? loadChainInfo(home, overrides) : undefined
    if (chainInfo === undefined) throw error
    const { chainId } = upstreams.selector
    // A node has told its chain, and went away afterwards: its responses are not those of the blocks in the store.
    if (chainId !== undefined && chainId !== chainInfo.nativeChainId)
      throw new DetectionError(
        `the nodes are of chain ${chainId}, and this home is of ${chainInfo.nativeChainId}`,
      )
    log.warn(
      { chain: chainInfo.nativeChainId, reason: (error as Error).message },
      'no node of the chain answers: the blocks of the store are served until one does',
    )
    upstreams.expectChain(chainInfo.nativeChainId)
    if (chainInfo.needsStateWitness) upstreams.witnessState(createStateWitness(chainInfo.evmPackage))
    return { chainInfo, height: undefined }
  }
}
