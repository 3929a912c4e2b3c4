import {
  type Params,
  QueryParamsRequestSchema,
  QueryParamsResponseSchema,
} from '../../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { type DetectionContext, DetectionError, queryOptional } from './detectionQueries.ts'

/** The EVM module that was found, with the packages of its queries. */
export interface EvmModule {
  readonly evmPackage: string
  readonly params: Params
}

/** Returns the module of the first package that answers. Throws a DetectionError if none does. */
export const findModule = async (
  context: DetectionContext,
  packages: readonly string[],
): Promise<EvmModule> => {
  for (const evmPackage of packages) {
    const path = `/${evmPackage}.Query/Params`
    const answer = await queryOptional(context, path, QueryParamsRequestSchema, QueryParamsResponseSchema)
    if (answer?.params) return { evmPackage, params: answer.params }
  }
  throw new DetectionError(
    `the chain answers no ${packages.map((name) => `/${name}.Query/Params`).join(' and no ')}: it has no EVM, ` +
      'or its module has another name, which is to be given as gateway.evm-package',
  )
}

/** Returns whether this version of CometBFT may leave its mempool to the application. */
export const mayHaveAppMempool = (version: string): boolean => {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  return major === '0' && Number(minor) >= 39
}
