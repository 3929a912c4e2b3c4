import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { createEthereumFeeRules } from '../../served/ethereumFeeRules.ts'
import type { Remote, RemoteBackend, RemoteDependencies, RemoteOptions } from '../remote.ts'
import {
  assumedStatus,
  type PerihelionStatusWatch,
  watchPerihelionStatus,
  withPerihelionValidators,
} from './networkStatus.ts'
import { createPerihelionExecutor } from './perihelionExecutor.ts'
import { createPerihelionState } from './perihelionStateView.ts'
import { createPerihelionTraces } from './perihelionTraces.ts'

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Creates the backend for a Perihelion chain, whose nodes answer everything that they serve over JSON-RPC. */
const createBackend = (
  { minimumGasPrice, queryTimeout, evmTimeout }: RemoteOptions,
  { queries, chainInfo, resolve, locate }: RemoteDependencies,
  status: PerihelionStatusWatch,
): RemoteBackend => {
  const stateAt = createPerihelionState(queries)
  return {
    executor: createPerihelionExecutor({ queries, resolve, timeoutMs: evmTimeout }),
    traces: createPerihelionTraces({ queries, resolve, locate }),
    feeRules: {
      ...createEthereumFeeRules(chainInfo.config, minimumGasPrice),
      // The suggested price is not below what the upstream accepted at the newest block.
      minGasPrice: () => max(minimumGasPrice, status.latest.minimumGasPrice),
    },
    stateAt: (block) => stateAt({ block }, () => AbortSignal.timeout(queryTimeout)),
    stateRetention: () => status.latest.retention,
  }
}

/** Opens the remote of a Perihelion chain, which fetches the status of a node now and at each new head. */
export const openPerihelionRemote = async (
  queries: NativeQueryClient,
  chainInfo: ChainInfo,
  queryTimeout: number,
  signal: AbortSignal,
): Promise<Remote> => {
  const status = await watchPerihelionStatus(queries, queryTimeout, signal, assumedStatus(chainInfo))
  return {
    createBackend: (options, dependencies) => createBackend(options, dependencies, status),
    extendNetwork: (network, served) => withPerihelionValidators(network, served, queryTimeout),
    onHead: () => status.refresh(),
  }
}
