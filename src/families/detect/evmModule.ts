import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { type DetectionContext, DetectionError } from './detectionQueries.ts'

/** The EVM module that was found, with the package of its queries. */
export interface EvmModule {
  readonly evmPackage: string
  /** The response of its query `Params`, which each family parses in its own way. */
  readonly params: Uint8Array
}

/** Returns the module of the first package that answers. Throws a DetectionError if none does. */
export const findModule = async (
  { queries, signal }: DetectionContext,
  packages: readonly string[],
): Promise<EvmModule> => {
  for (const evmPackage of packages) {
    try {
      const path = `/${evmPackage}.Query/Params`
      const params = await queries.query(path, new Uint8Array(0), undefined, signal)
      if (params.length > 0) return { evmPackage, params }
    } catch (error) {
      if (!(error instanceof NativeQueryError) || error.kind !== 'unknown path') throw error
    }
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
