import { toBigInt } from '../../base/bytes.ts'
import type { Network, Retention } from '../../chain/port/port.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import type { NativeQueries } from '../client/nativeQueries.ts'
import { askOwn, placeMessage } from './ownClient.ts'

export interface OwnStatus {
  readonly height: number
  readonly retention: Retention
  /** Below it the node's pool takes no transaction, in wei. */
  readonly minimumGasPrice: bigint
}

const readOwnStatus = async (queries: NativeQueries, signal: AbortSignal): Promise<OwnStatus> => {
  const status = await askOwn(queries, perihelionQueries.status, {}, undefined, signal)
  return {
    height: Number(status.height),
    retention: {
      oldestState: Number(status.oldestState),
      oldestBlock: Number(status.oldestBlock),
      keptStates: status.keptStates === undefined ? undefined : Number(status.keptStates),
    },
    minimumGasPrice: toBigInt(status.minimumGasPrice),
  }
}

/** For one question: its callers have no signal to give. */
const timeoutMs = 10_000

/** What the node says of itself, as of the last time that it was asked. */
export interface OwnStatusWatch {
  readonly latest: OwnStatus
  /** Asks again, in the background. */
  refresh(): void
}

export const watchOwnStatus = async (
  queries: NativeQueries,
  signal: AbortSignal,
): Promise<OwnStatusWatch> => {
  let latest = await readOwnStatus(queries, signal)
  let isAsking = false
  const ask = async (): Promise<void> => {
    isAsking = true
    try {
      latest = await readOwnStatus(queries, AbortSignal.timeout(timeoutMs))
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

/** Who decides blocks of a chain of our own, as its node says. */
export const createOwnValidators = (
  queries: NativeQueries,
): Pick<Network, 'validators' | 'validatorSet' | 'proposal'> => {
  const place = (block: number) => ({ place: placeMessage({ block }) })
  const signal = () => AbortSignal.timeout(timeoutMs)
  return {
    validators: async (number) =>
      (await askOwn(queries, perihelionQueries.validators, place(number), number, signal())).addresses,

    validatorSet: async (number) => {
      // The next block's set is in the newest state.
      const { validators } = await askOwn(
        queries,
        perihelionQueries.validatorSet,
        place(number),
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
      const { proposer, isInTurn } = await askOwn(
        queries,
        perihelionQueries.proposal,
        place(number),
        undefined,
        signal(),
      )
      return proposer.length === 0 ? undefined : { proposer, isInTurn }
    },
  }
}

/** A network of our own: who decides its blocks is for its node to say. */
export const withOwnValidators = (network: Network, queries: NativeQueries): Network => ({
  isListening: network.isListening,
  self: () => network.self(),
  peerCount: () => network.peerCount(),
  peers: () => network.peers(),
  syncing: () => network.syncing(),
  coinbase: () => network.coinbase(),
  ...createOwnValidators(queries),
})
