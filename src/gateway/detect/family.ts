import {
  GetNodeInfoRequestSchema,
  GetNodeInfoResponseSchema,
} from '../../cosmos/gen/cosmos/base/tendermint/v1beta1/query_pb.ts'
import {
  type Params,
  QueryParamsRequestSchema,
  QueryParamsResponseSchema,
} from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { AnswerSchema } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { NativeQueryError } from '../client/nativeQueries.ts'
import type { Family } from '../facts.ts'
import { type Asking, ask, DetectionError } from './ask.ts'

/** An EVM module that answers, and under which names. */
export interface EvmModule {
  readonly evmPackage: string
  readonly params: Params
}

export const cosmosPackage = 'cosmos.evm.vm.v1'
const ethermintPackage = 'ethermint.evm.v1'

/** The module under the name that is given, or under one of those that are known. */
export const findModule = async (asking: Asking, named: string | undefined): Promise<EvmModule> => {
  const packages = named === undefined ? [cosmosPackage, ethermintPackage] : [named]
  for (const evmPackage of packages) {
    const path = `/${evmPackage}.Query/Params`
    const answer = await ask(asking, path, QueryParamsRequestSchema, QueryParamsResponseSchema)
    if (answer?.params) return { evmPackage, params: answer.params }
  }
  throw new DetectionError(
    `the chain answers no ${packages.map((name) => `/${name}.Query/Params`).join(' and no ')}: it has no EVM, ` +
      'or its module has another name, which is to be given as gateway.evm-package',
  )
}

/** Whether the chain is one of our own, which answers what no other does. */
export const isOwnChain = async (asking: Asking): Promise<boolean> =>
  (await ask(asking, perihelionQueries.genesis.path, perihelionQueries.genesis.asked, AnswerSchema)) !==
  undefined

const hasQuery = async ({ queries, signal }: Asking, path: string): Promise<boolean> => {
  try {
    await queries.query(path, new Uint8Array(0), undefined, signal)
    return true
  } catch (error) {
    if (!(error instanceof NativeQueryError) || error.fault === 'unavailable') throw error
    // An empty question is refused by a query that is there.
    return error.fault !== 'unknown path'
  }
}

/** Of those that have no query for traces of calls. */
const olderFamily = (version: string): Family | undefined => {
  if (version.startsWith('v1.0.0-rc') || /^v0\.[1-3]\.\d/.test(version)) return 'cosmos-evm-0.1'
  return /^v0\.4\.\d/.test(version) ? 'cosmos-evm-0.4' : undefined
}

/** By the release that the node says it is built from. */
const familyOfBuild = async (asking: Asking): Promise<Family | undefined> => {
  const path = '/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo'
  const info = await ask(asking, path, GetNodeInfoRequestSchema, GetNodeInfoResponseSchema)
  const module = info?.applicationVersion?.buildDeps.find((dep) => dep.path === 'github.com/cosmos/evm')
  return module === undefined || module.sum === '' ? undefined : olderFamily(module.version)
}

/** Whether a CometBFT of this version may leave its mempool to the application. */
export const hasOwnMempool = (version: string): boolean => {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  return major === '0' && Number(minor) >= 39
}

/** Which of the families of cosmos/evm, or Ethermint, a module is of. */
export const familyOf = async (
  asking: Asking,
  { evmPackage }: EvmModule,
  engineVersion: string,
): Promise<Family> => {
  if (evmPackage === ethermintPackage) return 'ethermint'
  if (await hasQuery(asking, `/${evmPackage}.Query/TraceCall`))
    return hasOwnMempool(engineVersion) ? 'cosmos-evm-0.7' : 'cosmos-evm-0.5'
  const built = await familyOfBuild(asking)
  if (built !== undefined) return built
  throw new DetectionError(
    'the node does not tell from which release of cosmos/evm it is built, and it may be 0.4 or one before: ' +
      'give cosmos-evm-0.4 or cosmos-evm-0.1 as gateway.family',
  )
}
