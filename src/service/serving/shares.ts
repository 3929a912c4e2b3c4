import { availableParallelism } from 'node:os'
import { isDevProfile } from '../../config/rules/profile.ts'
import type { Config, JsonRpcSettings } from '../../config/settings/settings.ts'
import type { ApiKeyOptions } from '../../rpc/access/apiKey.ts'
import { pickReloadable, type ReloadedAccess } from '../../rpc/server.ts'
import type { ServedChain } from '../chain/servedChain.ts'
import type { ServingOptions } from './messages.ts'

/** Divides a limit, of which each process gets at least 1; 0 stays no limit. */
const divide = (limit: number, processes: number): number =>
  limit === 0 ? 0 : Math.max(1, Math.ceil(limit / processes))

/**
 * Returns the settings of one of the processes that serve: limits of all clients together are divided among them, limits of
 * one call, one connection or one thread stay. The memory of requests is divided among the main process too, which holds what
 * is passed on to it.
 */
export const shareOf = (settings: JsonRpcSettings, processes: number): JsonRpcSettings => ({
  ...settings,
  maxOpenConnections: divide(settings.maxOpenConnections, processes),
  rateLimit: divide(settings.rateLimit, processes),
  rateLimitBurst: divide(settings.rateLimitBurst, processes),
  requestMemory: memoryShare(settings, processes),
  httpTotalBacklog: divide(settings.httpTotalBacklog, processes),
  wsTotalBacklog: divide(settings.wsTotalBacklog, processes),
  filterMemory: divide(settings.filterMemory, processes + 1),
  callWorkers: divide(settings.callWorkers, processes),
  callQueue: divide(settings.callQueue, processes),
  traceWorkers: divide(settings.traceWorkers, processes),
  traceQueue: divide(settings.traceQueue, processes),
  ...spoolShares(settings, processes),
  statePermits: divide(settings.statePermits, processes),
  stateQueue: divide(settings.stateQueue, processes),
  logsPermits: divide(settings.logsPermits, processes),
  logsQueue: divide(settings.logsQueue, processes),
})

/** Returns what the main process keeps for itself: everything if it serves alone. */
export const mainShareOf = (settings: JsonRpcSettings, processes: number): JsonRpcSettings =>
  processes === 0
    ? settings
    : {
        ...settings,
        requestMemory: memoryShare(settings, processes),
        filterMemory: divide(settings.filterMemory, processes + 1),
        ...spoolShares(settings, processes),
      }

/** A share in which a body of the largest size still has room (see the rule of `request-memory`). */
const memoryShare = ({ requestMemory, maxBodySize }: JsonRpcSettings, processes: number): number =>
  Math.max(divide(requestMemory, processes + 1), Math.min(requestMemory, 4 * maxBodySize))

/** Shares in which a trace of the largest size still has room. A client may have connections to all processes. */
const spoolShares = (settings: JsonRpcSettings, processes: number) => {
  const share = (bytes: number): number => Math.max(divide(bytes, processes + 1), settings.traceMaxSize)
  return {
    traceSpool: share(settings.traceSpool),
    traceSpoolPerClient: share(settings.traceSpoolPerClient),
  }
}

/** Returns the API keys of one process, with its part of their rates. */
export const shareOfKeys = (
  keys: readonly ApiKeyOptions[] | undefined,
  processes: number,
): readonly ApiKeyOptions[] | undefined =>
  keys?.map((key) => ({ ...key, rate: key.rate / processes, burst: divide(key.burst, processes) }))

/**
 * Returns the options of processes with what was read again: the same that those take which run. A certificate takes the
 * place of another one; without a new one the old one stays, since nobody may come to a plain connection by a reload.
 */
export const applyReload = <Options extends Pick<ServingOptions, 'jsonRpc' | 'keys' | 'tls'>>(
  options: Options,
  { settings, keys, tls }: ReloadedAccess,
): Options => ({
  ...options,
  jsonRpc: { ...options.jsonRpc, ...pickReloadable(settings) },
  keys,
  tls: options.tls && (tls ?? options.tls),
})

/** The most serving processes that are started where nobody says how many. */
const maxAutoProcesses = 4

/**
 * Returns the number of serving processes. Without a setting there are none on a machine with one or two cores, and none for
 * a chain for development, whose clients are few. A chain that is forked from a remote one is served by the main process
 * alone.
 */
export const countProcesses = (
  config: Config,
  { shared, chain }: Pick<ServedChain, 'shared' | 'chain'>,
  cores = availableParallelism(),
): number => {
  const { enable, workers } = config.jsonRpc
  if (!enable || shared === undefined || chain.fork !== undefined) return 0
  if (workers !== undefined) return workers
  return isDevProfile(config) || cores <= 2 ? 0 : Math.min(maxAutoProcesses, cores - 1)
}
