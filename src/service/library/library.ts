import { createLogger, type RootLogger } from '../../base/logging/log.ts'
import { ConfigError } from '../../config/configError.ts'
import { type ConfigInputs, loadConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { ConfigOptions } from '../../config/sources/options.ts'
import { type Cleanup, makeTemporaryFolder } from '../home/homeFolder.ts'
import { createProvider } from '../rpc/provider.ts'
import { loadNodeConfig } from '../settings/nodeConfig.ts'
import { type OpenChain, type Service, startService } from '../start/startService.ts'
import type { LibraryOptions, ListeningNode } from './libraryTypes.ts'

const anyPort = { host: '127.0.0.1', port: 0 } as const

/** Starts a service for a program that uses this package as a library. */
export const embed = async (
  options: LibraryOptions,
  purpose: 'node' | 'gateway',
  open: OpenChain,
  adapt: (config: Config) => Config = (config) => config,
): Promise<ListeningNode> => {
  const settings: ConfigOptions = options.settings ?? {}
  checkSettings(settings)
  // Null too: a caller without types means the same by it, and not the home of the command line.
  const temporary = (options.home ?? undefined) === undefined ? makeTemporaryHome() : undefined
  // The cast is sound because one of the two is defined.
  const home = (options.home ?? temporary?.path) as string
  let service: Service | undefined
  try {
    const inputs: ConfigInputs = {
      options: { ...settings, home, jsonRpc: withFreePorts(settings.jsonRpc) },
      isTemporaryHome: temporary !== undefined,
    }
    const { config, given, mode } =
      purpose === 'node' ? await loadNodeConfig(inputs) : loadConfig({ ...inputs, purpose })
    const onFatal = async (reason: string): Promise<void> => {
      await service?.close().catch(() => {})
      options.onFatal?.(reason)
    }
    service = await startService(
      {
        config: adapt(config),
        open,
        listen: options.listen === false ? 'none' : 'network',
        methods: options.methods ?? [],
        cleanup: temporary?.remove,
      },
      {
        log: createLog(options.log),
        given,
        mode,
        removesHistory: options.removesHistory,
        onFatal: ({ message }) => void onFatal(message),
        isInteractive: false,
      },
    )
  } catch (error) {
    temporary?.remove()
    throw error
  }
  const { served, urls, connect, close } = service
  const { http = '', ws = '' } = urls()
  return { url: http, wsUrl: ws, provider: createProvider(connect), chain: served.chain, close }
}

/** Removes the temporary homes of nodes that are not closed. */
const openHomes = new Set<Cleanup>()

const removeOpenHomes = (): void => {
  for (const remove of openHomes)
    try {
      remove()
    } catch {
      // The process ends, and its caller's exit code stays.
    }
}

/** Makes a home that is removed with `remove`, or when the process exits before. Only as long has the process a listener for it. */
const makeTemporaryHome = (): ReturnType<typeof makeTemporaryFolder> => {
  const folder = makeTemporaryFolder()
  const remove = (): void => {
    folder.remove()
    openHomes.delete(remove)
    if (openHomes.size === 0) process.off('exit', removeOpenHomes)
  }
  if (openHomes.size === 0) process.on('exit', removeOpenHomes)
  openHomes.add(remove)
  return { path: folder.path, remove }
}

/** A free port, and one process, unless the caller says otherwise: what a home's app.toml has is for the command line. */
const withFreePorts = (jsonRpc: ConfigOptions['jsonRpc']): NonNullable<ConfigOptions['jsonRpc']> => ({
  ...jsonRpc,
  workers: jsonRpc?.workers ?? 0,
  address: jsonRpc?.address ?? anyPort,
  wsAddress: jsonRpc?.wsAddress ?? anyPort,
})

/** Rejects settings that have an option of their own: they would be ignored, and a home that is ignored is lost data. */
const checkSettings = (settings: ConfigOptions): void => {
  const problems = (['home', 'log'] as const)
    .filter((name) => settings[name] !== undefined)
    .map((name) => `settings.${name}: give it as the option ${name} beside settings`)
  if (problems.length > 0) throw new ConfigError(problems)
}

const createLog = (log: LibraryOptions['log']): RootLogger =>
  log === undefined
    ? createLogger('silent', { write: () => {} })
    : createLogger(log.level, { write: (line) => log.write(line) })
