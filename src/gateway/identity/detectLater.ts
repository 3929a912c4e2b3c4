import { sleep } from '../../base/async/sleep.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { ChainOverrides } from '../../families/detect/chainProbe.ts'
import { detectChain } from '../../families/detect/detectChain.ts'
import { DetectionError } from '../../families/detect/detectionQueries.ts'
import type { UpstreamClient } from '../upstreams/upstreamClient.ts'
import { confirmChange } from './confirmChange.ts'

interface LaterDetection {
  readonly chainInfo: ChainInfo
  /** What is not as it was known. */
  readonly differing: readonly string[]
}

interface DetectLaterOptions {
  /** What is served meanwhile. */
  readonly known: ChainInfo
  readonly overrides: ChainOverrides
  readonly pauseMs?: number
}

interface DetectLaterDependencies {
  readonly upstreams: UpstreamClient
  readonly log: Logger
  /** Called with the reason each time that nodes answer, and what they say is not a chain that is known here. */
  readonly onUnknown?: ((reason: string) => void) | undefined
}

/** What decides how blocks are converted and states are read; heights change all the time. */
const decisive = [
  'family',
  'nativeChainId',
  'feeDenom',
  'decimals',
  'bech32Prefix',
  'evmPackage',
  'feemarketPackage',
  'hasAppMempool',
] as const

/**
 * Detects the chain as soon as a node answers, for a start that had to believe what the home knew: the chain may have
 * been upgraded since. Resolves with undefined if the signal is aborted before.
 */
export const detectLater = async (
  { known, overrides, pauseMs = 2_000 }: DetectLaterOptions,
  { upstreams, log, onUnknown }: DetectLaterDependencies,
  signal: AbortSignal,
): Promise<LaterDetection | undefined> => {
  for (let failures = 0; ; failures++) {
    await sleep(pauseMs * Math.min(failures + 1, 15), signal)
    while (upstreams.isAway() && !signal.aborted) await sleep(pauseMs, signal)
    if (signal.aborted) return undefined
    try {
      const status = await upstreams.status(signal)
      // Without the log: what was logged at the start is not logged again with each connection.
      const found = await detectChain(upstreams, status, overrides, signal)
      const chainInfo = await confirmChange({ known, found, overrides }, { upstreams, log }, signal)
      return { chainInfo, differing: compare(known, chainInfo) }
    } catch (error) {
      if (signal.aborted) continue
      log.debug({ reason: (error as Error).message }, 'the chain cannot be detected yet')
      if (error instanceof DetectionError) onUnknown?.(error.message)
    }
  }
}

const compare = (known: ChainInfo, found: ChainInfo): readonly string[] => {
  const differing: string[] = decisive.filter((name) => known[name] !== found[name])
  // A family that the operator configured stays, and an upgrade can make it the wrong one.
  if (found.answersAs !== undefined && found.answersAs !== known.answersAs)
    differing.push(`gateway.family is ${found.family}, and the nodes answer as ${found.answersAs}`)
  if (JSON.stringify(known.config.source) !== JSON.stringify(found.config.source)) differing.push('forks')
  return differing
}
