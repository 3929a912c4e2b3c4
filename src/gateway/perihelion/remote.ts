import { createEthereumFees } from '../../served/ethereumFees.ts'
import type { NativeQueries } from '../client/nativeQueries.ts'
import type { Remote, RemoteBackend, RemoteDependencies, RemoteOptions } from '../families/remote.ts'
import { createPerihelionExecutor } from './executor.ts'
import { createPerihelionState } from './state.ts'
import { type PerihelionStatusWatch, watchPerihelionStatus, withPerihelionValidators } from './status.ts'
import { createPerihelionTraces } from './traces.ts'

const bigger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** What the nodes of a Perihelion chain answer: all that they would over their own JSON-RPC. */
const createBackend = (
  { minimumGasPrice }: RemoteOptions,
  { queries, facts, resolve, locate }: RemoteDependencies,
  status: PerihelionStatusWatch,
): RemoteBackend => {
  // What a node does not take, it does not say to pay either.
  const leastPrice = bigger(minimumGasPrice, status.latest.minimumGasPrice)
  const stateAt = createPerihelionState(queries)
  return {
    executor: createPerihelionExecutor({ queries, resolve }),
    traces: createPerihelionTraces({ queries, resolve, locate }),
    feeRules: createEthereumFees(facts.config, leastPrice),
    stateAt: (block) => stateAt({ block }),
    keptStates: () => status.latest.retention,
  }
}

/** Asks a Perihelion node for its status, now and with each new head. */
export const openPerihelionRemote = async (queries: NativeQueries, signal: AbortSignal): Promise<Remote> => {
  const status = await watchPerihelionStatus(queries, signal)
  return {
    createBackend: (options, dependencies) => createBackend(options, dependencies, status),
    withNetworkFacts: withPerihelionValidators,
    onHead: () => status.refresh(),
  }
}
