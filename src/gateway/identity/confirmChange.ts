import type { Logger } from '../../base/logging/log.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { ChainOverrides } from '../../families/detect/chainProbe.ts'
import { detectChain } from '../../families/detect/detectChain.ts'
import { createStateWitness } from '../../families/detect/evmParams.ts'
import { type SingleNode, singleNodes } from '../upstreams/singleNodes.ts'
import type { UpstreamClient } from '../upstreams/upstreamClient.ts'

/** What states are read by and transactions are written by: a wrong one of these makes every response wrong. */
const decisive = ['family', 'feeDenom', 'decimals'] as const
const maxAsked = 5

interface DetectedChange {
  /** What is known of the chain, from before; undefined if nothing is. */
  readonly known: ChainInfo | undefined
  readonly found: ChainInfo
  readonly overrides: ChainOverrides
}

interface ConfirmDependencies {
  readonly upstreams: UpstreamClient
  readonly log: Logger
}

/**
 * Returns what a chain is taken for that is not as it was known. An upgrade may have changed it, or the node that was asked
 * lies: other nodes are asked too. If there is none, what was found is taken, and the log says it.
 */
export const confirmChange = async (
  { known, found, overrides }: DetectedChange,
  { upstreams, log }: ConfirmDependencies,
  signal: AbortSignal,
): Promise<ChainInfo> => {
  if (known === undefined || known.nativeChainId !== found.nativeChainId) return found
  if (areAlike(known, found)) return found
  const detect = ({ queries, status }: SingleNode): Promise<ChainInfo | undefined> =>
    detectChain(queries, status, overrides, signal).catch(() => undefined)
  const nodes = singleNodes(upstreams.selector).slice(0, maxAsked)
  const told = (await Promise.all(nodes.map(detect))).filter((chain) => chain !== undefined)
  const asFound = told.filter((chain) => areAlike(chain, found)).length
  const asKnown = told.filter((chain) => areAlike(chain, known)).length
  const fields = { known: shown(known), found: shown(found), nodes: told.length, agreeing: asFound }
  if (asKnown === 0 || asKnown < asFound) {
    if (asFound > 1)
      log.warn(fields, 'the chain is not as it was known, and nodes agree: it is taken as it is now')
    else
      log.error(
        fields,
        'THE CHAIN DIFFERS FROM WHAT WAS RECORDED, AND ONLY ONE NODE SAYS SO: using what it reports',
      )
    return found
  }
  log.error(fields, 'NODES SAY DIFFERENT THINGS ABOUT THE CHAIN: it is taken as it was known')
  upstreams.witnessState(known.needsStateWitness ? createStateWitness(known.evmPackage) : undefined)
  const { earliestBlock, earliestState } = found
  return { ...known, earliestBlock, earliestState }
}

/** The family that nodes answer as, whichever is configured. */
const answeredFamily = ({ family, answersAs }: ChainInfo): string => answersAs ?? family

const areAlike = (one: ChainInfo, other: ChainInfo): boolean =>
  decisive.every((name) => one[name] === other[name]) && answeredFamily(one) === answeredFamily(other)

const shown = (chain: ChainInfo): object => {
  const { feeDenom, decimals } = chain
  return { family: answeredFamily(chain), feeDenom, decimals }
}
