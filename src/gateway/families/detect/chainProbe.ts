import {
  GetNodeInfoRequestSchema,
  GetNodeInfoResponseSchema,
} from '../../../cosmos/gen/cosmos/base/tendermint/v1beta1/query_pb.ts'
import { NativeQueryError } from '../../client/nativeQueries.ts'
import { type DetectionContext, queryOptional } from './detectionQueries.ts'
import { type EvmModule, findModule } from './evmModule.ts'

/** What CometBFT's `status` says that matters here. */
export interface DetectionStatus {
  /** The name of the chain. */
  readonly network: string
  /** Of CometBFT. */
  readonly version: string
  readonly earliestHeight: number
  readonly latestHeight: number
}

/** What an operator says of the chain; it is not asked for then. */
export interface ChainOverrides {
  /** The name of a family. */
  readonly family?: string | undefined
  readonly evmChainId?: bigint | undefined
  /** geth's `config` object. */
  readonly forks?: unknown
  readonly feeDenom?: string | undefined
  readonly decimals?: number | undefined
  readonly bech32Prefix?: string | undefined
  readonly evmPackage?: string | undefined
  readonly feemarketPackage?: string | undefined
  readonly earliestBlock?: number | undefined
  readonly earliestState?: number | undefined
  readonly hasAppMempool?: boolean | undefined
}

interface ProbeOptions {
  readonly status: DetectionStatus
  readonly overrides: ChainOverrides
  /** Under which the EVM module is looked for, unless an operator named another. */
  readonly evmPackages: readonly string[]
}

/** A chain that is to be found out about. What several families want to know is asked once. */
export class ChainProbe {
  readonly context: DetectionContext
  readonly status: DetectionStatus
  readonly overrides: ChainOverrides
  readonly #evmPackages: readonly string[]
  readonly #queries = new Map<string, Promise<boolean>>()
  #module: Promise<EvmModule> | undefined
  #release: Promise<string | undefined> | undefined

  constructor({ status, overrides, evmPackages }: ProbeOptions, context: DetectionContext) {
    this.context = context
    this.status = status
    this.overrides = overrides
    this.#evmPackages = overrides.evmPackage === undefined ? evmPackages : [overrides.evmPackage]
  }

  /** Throws a DetectionError where the chain has no EVM module, or none of a known name. */
  evmModule(): Promise<EvmModule> {
    this.#module ??= findModule(this.context, this.#evmPackages)
    return this.#module
  }

  /** Whether the chain's EVM module has a query of this name. */
  async hasEvmQuery(name: string): Promise<boolean> {
    const { evmPackage } = await this.evmModule()
    const path = `/${evmPackage}.Query/${name}`
    const known = this.#queries.get(path) ?? this.#hasQuery(path)
    this.#queries.set(path, known)
    return known
  }

  /** The release of cosmos/evm that the node is built from, where it tells. */
  release(): Promise<string | undefined> {
    this.#release ??= this.#readRelease()
    return this.#release
  }

  async #hasQuery(path: string): Promise<boolean> {
    const { queries, signal } = this.context
    try {
      await queries.query(path, new Uint8Array(0), undefined, signal)
      return true
    } catch (error) {
      if (!(error instanceof NativeQueryError) || error.fault === 'unavailable') throw error
      // An empty question is refused by a query that is there.
      return error.fault !== 'unknown path'
    }
  }

  async #readRelease(): Promise<string | undefined> {
    const path = '/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo'
    const info = await queryOptional(this.context, path, GetNodeInfoRequestSchema, GetNodeInfoResponseSchema)
    const module = info?.applicationVersion?.buildDeps.find((dep) => dep.path === 'github.com/cosmos/evm')
    // A build from changed sources has no sum: what its version says does not count.
    return module === undefined || module.sum === '' ? undefined : module.version
  }
}
