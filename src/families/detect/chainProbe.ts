import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import {
  GetNodeInfoRequestSchema,
  GetNodeInfoResponseSchema,
} from '../../cosmos/gen/cosmos/base/tendermint/v1beta1/query_pb.ts'
import { type DetectionContext, queryOptional } from './detectionQueries.ts'
import { type EvmModule, findModule } from './evmModule.ts'

/** The fields of CometBFT's `status` that detection needs. */
export interface DetectionStatus {
  /** The name of the chain. */
  readonly network: string
  /** The version of CometBFT. */
  readonly version: string
  readonly earliestHeight: number
  readonly latestHeight: number
}

/** Values that the operator configured; they are not queried. */
export interface ChainOverrides {
  /** The name of a family. */
  readonly family?: string | undefined
  readonly evmChainId?: bigint | undefined
  /** The `config` object of a geth genesis. */
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
  /** The packages in which the EVM module is looked for, unless the operator named one. */
  readonly evmPackages: readonly string[]
}

/** A chain that is being detected. Values that several families need are queried once. */
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

  /** Finds the EVM module. Throws a DetectionError if the chain has none, or none under a known name. */
  evmModule(): Promise<EvmModule> {
    this.#module ??= findModule(this.context, this.#evmPackages)
    return this.#module
  }

  /** Returns whether the chain's EVM module has a query of this name. */
  async hasEvmQuery(name: string): Promise<boolean> {
    const { evmPackage } = await this.evmModule()
    const path = `/${evmPackage}.Query/${name}`
    const known = this.#queries.get(path) ?? this.#hasQuery(path)
    this.#queries.set(path, known)
    return known
  }

  /** Returns the release of cosmos/evm that the node is built from; undefined if it does not report it. */
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
      if (!(error instanceof NativeQueryError) || error.kind === 'unavailable') throw error
      // A query that exists rejects an empty request with another error.
      return error.kind !== 'unknown path'
    }
  }

  async #readRelease(): Promise<string | undefined> {
    const path = '/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo'
    const info = await queryOptional(this.context, path, GetNodeInfoRequestSchema, GetNodeInfoResponseSchema)
    const module = info?.applicationVersion?.buildDeps.find((dep) => dep.path === 'github.com/cosmos/evm')
    // A build from modified sources has no checksum, so its version says nothing.
    return module === undefined || module.sum === '' ? undefined : module.version
  }
}
