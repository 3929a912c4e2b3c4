import type { Logger } from '../../base/logging/log.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { families, familyNamed } from '../families.ts'
import type { Family } from '../family.ts'
import { detectBech32Prefix } from './chainParameters.ts'
import { type ChainOverrides, ChainProbe, type DetectionStatus } from './chainProbe.ts'
import { type DetectionContext, DetectionError, StartWait } from './detectionQueries.ts'

/** Detects the family by the queries that a chain answers; undefined if several answer the same. */
const detectByQueries = async (chain: ChainProbe): Promise<Family | undefined> => {
  for (const family of families)
    if (family.detection.by === 'queries' && (await family.detection.matches(chain))) return family
  return undefined
}

/** Detects the family. The queries that a chain answers count more than the release that it reports. */
const detectFamily = async (chain: ChainProbe): Promise<Family> => {
  const answering = await detectByQueries(chain)
  if (answering !== undefined) return answering
  const release = await chain.release()
  const candidates = families.filter(({ detection }) => detection.by === 'release')
  for (const family of candidates)
    if (release !== undefined && family.detection.by === 'release' && family.detection.releases.test(release))
      return family
  throw new DetectionError(
    'the node does not report which release of cosmos/evm it is built from, and several are possible: ' +
      `give ${candidates.map(({ name }) => name).join(' or ')} as gateway.family`,
  )
}

/** Returns the name of the family that the nodes answer as, if it is not the one that the operator configured. */
const findContradiction = async (chain: ChainProbe, told: Family): Promise<string | undefined> => {
  try {
    const answering = await detectByQueries(chain)
    return answering === told ? undefined : answering?.name
  } catch (error) {
    // A family is configured for a chain that cannot be detected, too, or whose nodes reject such requests.
    if (error instanceof DetectionError || error instanceof NativeQueryError) return undefined
    throw error
  }
}

/** Returns the usual package of the fee market: beside `a.evm.v1` it is `a.feemarket.v1`, beside `a.evm.vm.v1` `a.evm.feemarket.v1`. */
const feemarketOf = (evmPackage: string): string => evmPackage.replace(/\.e?vm(\.v\d+)$/, '.feemarket$1')

/** Detects a chain by queries; values that the operator configured are not queried. Throws a DetectionError. */
export const detectChain = async (
  queries: DetectionContext['queries'],
  status: DetectionStatus,
  overrides: ChainOverrides,
  signal: AbortSignal,
  log?: Logger,
): Promise<ChainInfo> => {
  const evmPackages = [...new Set(families.map(({ evmPackage }) => evmPackage))]
  const chain = new ChainProbe(
    { status, overrides, evmPackages },
    { queries, signal, start: new StartWait(log), log },
  )
  const told = overrides.family === undefined ? undefined : familyNamed(overrides.family)
  const family = told ?? (await detectFamily(chain))
  const answersAs = told && (await findContradiction(chain, told))
  if (answersAs !== undefined)
    log?.warn({ configured: family.name, found: answersAs }, 'gateway.family is not what the nodes answer as')
  const parameters = await family.readParameters(chain)
  const { evmPackage } = parameters
  return {
    ...parameters,
    family: family.name,
    ...(answersAs === undefined ? {} : { answersAs }),
    nativeChainId: status.network,
    bech32Prefix: overrides.bech32Prefix ?? (await detectBech32Prefix(chain.context, evmPackage)),
    feemarketPackage: overrides.feemarketPackage ?? family.feemarketPackage ?? feemarketOf(evmPackage),
    earliestBlock: overrides.earliestBlock ?? status.earliestHeight,
  }
}
