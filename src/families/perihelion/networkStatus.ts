import { toBigInt } from '../../base/encoding/bytes.ts'
import { isUnavailable } from '../../chain/chainError.ts'
import type { Retention } from '../../chain/port/chain.ts'
import type { Network } from '../../chain/port/network.ts'
import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { queryPerihelionNode, toPlaceMessage } from './perihelionQueries.ts'

export interface PerihelionStatus {
  readonly height: number
  readonly retention: Retention
  /** The lowest gas price that the node's pool accepts, in wei. */
  readonly minimumGasPrice: bigint
}

const fetchPerihelionStatus = async (
  queries: NativeQueryClient,
  signal: AbortSignal,
): Promise<PerihelionStatus> => {
  const status = await queryPerihelionNode(queries, perihelionQueries.status, {}, undefined, signal)
  return {
    height: Number(status.height),
    retention: {
      oldestState: Number(status.oldestState),
      oldestBlock: Number(status.oldestBlock),
      retainedStates: status.keptStates === undefined ? undefined : Number(status.keptStates),
    },
    minimumGasPrice: toBigInt(status.minimumGasPrice),
  }
}

/** The last known status of the node. */
export interface PerihelionStatusWatch {
  readonly latest: PerihelionStatus
  /** Fetches the status again in the background. */
  refresh(): void
}

/** Returns what stands in for the status until a node answers. */
export const assumedStatus = ({
  earliestState,
  earliestBlock,
}: Pick<ChainInfo, 'earliestState' | 'earliestBlock'>): PerihelionStatus => ({
  height: 0,
  retention: { oldestState: earliestState, oldestBlock: earliestBlock, retainedStates: undefined },
  minimumGasPrice: 0n,
})

/**
 * Fetches the status; while no node answers, the assumed one stands in, if there is one. `timeoutMs` is that of each query
 * after the first.
 */
export const watchPerihelionStatus = async (
  queries: NativeQueryClient,
  timeoutMs: number,
  signal: AbortSignal,
  assumed?: PerihelionStatus,
): Promise<PerihelionStatusWatch> => {
  let latest = await fetchPerihelionStatus(queries, signal).catch((error: unknown) => {
    const isAway = isUnavailable(error)
    if (isAway && assumed !== undefined) return assumed
    throw error
  })
  let isRefreshing = false
  const refresh = async (): Promise<void> => {
    isRefreshing = true
    try {
      latest = await fetchPerihelionStatus(queries, AbortSignal.timeout(timeoutMs))
    } catch {
      // The last known status is used until the next block.
    }
    isRefreshing = false
  }
  return {
    get latest() {
      return latest
    },
    refresh: () => {
      if (!isRefreshing) void refresh()
    },
  }
}

/** Creates the queries for the validators and the proposals of a Perihelion chain, each with this timeout. */
export const createPerihelionValidators = (
  queries: NativeQueryClient,
  timeoutMs: number,
): Pick<Network, 'validators' | 'validatorSet' | 'proposal'> => {
  const location = (block: number) => ({ place: toPlaceMessage({ block }) })
  const signal = () => AbortSignal.timeout(timeoutMs)
  return {
    validators: async (number) =>
      (await queryPerihelionNode(queries, perihelionQueries.validators, location(number), number, signal()))
        .addresses,

    validatorSet: async (number) => {
      // The validator set of the next block is in the newest state.
      const { validators } = await queryPerihelionNode(
        queries,
        perihelionQueries.validatorSet,
        location(number),
        undefined,
        signal(),
      )
      return validators.map(({ publicKey, engineAddress, power, reward }) => ({
        publicKey,
        engineAddress,
        power,
        reward,
      }))
    },

    proposal: async (number) => {
      const { proposer, isInTurn } = await queryPerihelionNode(
        queries,
        perihelionQueries.proposal,
        location(number),
        undefined,
        signal(),
      )
      return proposer.length === 0 ? undefined : { proposer, isInTurn }
    },
  }
}

/** Returns the network with validators and proposals as a Perihelion node returns them. */
export const withPerihelionValidators = (
  network: Network,
  queries: NativeQueryClient,
  timeoutMs: number,
): Network => ({
  isListening: network.isListening,
  self: () => network.self(),
  peerCount: () => network.peerCount(),
  peers: () => network.peers(),
  syncing: () => network.syncing(),
  coinbase: () => network.coinbase(),
  ...createPerihelionValidators(queries, timeoutMs),
})
