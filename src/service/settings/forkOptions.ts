import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseHeaderLine } from '../../base/http/headerLine.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { NodeForkOptions } from '../../node/fork/forkHost.ts'
import { toChainLimits } from './chainLimits.ts'

const coin = 10n ** 18n

/** Returns headers by name, from lines such as `Name: value`. */
export const toHeaders = (lines: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lines.flatMap((line) => {
      const header = parseHeaderLine(line)
      return header === undefined ? [] : [[header.name, header.value]]
    }),
  )

/** Returns how the dev chain may be forked from a remote one; undefined for a chain that cannot be. */
export const toForkOptions = (
  config: Config,
  given: LoadedConfig['given'],
  addresses: readonly Uint8Array[],
): NodeForkOptions | undefined => {
  if (config.engine !== 'solo' || config.genesis !== undefined) return undefined
  const remote = {
    headers: toHeaders(config.forkHeader),
    retries: config.forkRetries,
    backoffMs: config.forkRetryBackoff,
    timeoutMs: config.forkTimeout,
    computeUnits: config.forkComputeUnits,
  }
  const balance = config.balance * coin
  const sharesCache = config.ephemeral && config.forkCache
  return {
    wanted:
      config.forkUrl === undefined ? undefined : { ...remote, url: config.forkUrl, block: config.forkBlock },
    remote,
    cacheFolder: sharesCache ? join(homedir(), '.perihelion', 'forks') : undefined,
    genesis: {
      // Without a flag the chain has the id of the remote one.
      chainId: given.has('chain-id') ? config.chainId : undefined,
      limits: toChainLimits(config),
      rules: given.has('fork-name') ? config.forkName : undefined,
      accounts: addresses.map((address) => ({ address, balance })),
    },
  }
}
