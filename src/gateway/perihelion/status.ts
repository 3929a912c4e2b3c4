import { toBigInt } from '../../base/bytes.ts'
import type { Retention } from '../../chain/port/chain.ts'
import type { Network } from '../../chain/port/network.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import type { NativeQueryClient } from '../client/nativeQueryClient.ts'
import { queryPerihelionNode, toPlaceMessage } from './client.ts'

export interface PerihelionStatus {
  readonly height: number
  readonly retention: Retention
  /** Below it the node's pool takes no transaction, in wei. */
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

/** For one question: its callers have no signal to give. */
const timeoutMs = 10_000

/** What the node says of itself, as of the last time that it was asked. */
export interface PerihelionStatusWatch {
  readonly latest: PerihelionStatus
  /** Asks again, in the background. */
  refresh(): void
}

export const watchPerihelionStatus = async (
  queries: NativeQueryClient,
  signal: AbortSignal,
): Promise<PerihelionStatusWatch> => {
  let latest = await fetchPerihelionStatus(queries, signal)
  let isAsking = false
  const ask = async (): Promise<void> => {
    isAsking = true
    try {
      latest = await fetchPerihelionStatus(queries, AbortSignal.timeout(timeoutMs))
    } catch {
      // What was known stands until the next block.
    }
    isAsking = false
  }
  return {
    get latest() {
      return latest
    },
    refresh: () => {
      if (!isAsking) void ask()
    },
  }
}

/** Tells who decides blocks of a Perihelion chain, as its node says. */
export const createPerihelionValidators = (
  queries: NativeQueryClient,
): Pick<Network, 'validators' | 'validatorSet' | 'proposal'> => {
  const location = (block: number) => ({ place: toPlaceMessage({ block }) })
  const signal = () => AbortSignal.timeout(timeoutMs)
  return {
    validators: async (number) =>
      (await queryPerihelionNode(queries, perihelionQueries.validators, location(number), number, signal()))
        .addresses,

    validatorSet: async (number) => {
      // The next block's set is in the newest state.
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

/** Returns a network whose validators and proposals are those that a Perihelion node tells. */
export const withPerihelionValidators = (network: Network, queries: NativeQueryClient): Network => ({
  isListening: network.isListening,
  self: () => network.self(),
  peerCount: () => network.peerCount(),
  peers: () => network.peers(),
  syncing: () => network.syncing(),
  coinbase: () => network.coinbase(),
  ...createPerihelionValidators(queries),
})
