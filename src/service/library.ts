import type { ApiContext } from '../api/context.ts'
import { createLogger, type RootLogger } from '../base/log.ts'
import type { Chain } from '../chain/port/chain.ts'
import { ConfigError } from '../config/configError.ts'
import { loadConfig } from '../config/load.ts'
import type { ConfigOptions } from '../config/options.ts'
import type { Config } from '../config/settings.ts'
import type { Method } from '../rpc/method.ts'
import { makeTemporaryFolder } from './home.ts'
import { createProvider, type Provider } from './provider.ts'
import { type OpenChain, type Service, startService } from './startService.ts'

/** The options of `createNode` and `createGateway`. */
export interface LibraryOptions {
  /** The folder of the chain's data and keys. If undefined, a temporary one is used, which `close` removes. */
  readonly home?: string | undefined
  /** If false, no socket is opened and `provider` is the only access. */
  readonly listen?: boolean | undefined
  /**
   * Settings of docs/settings.md by section and in camel case, in the program's units: milliseconds, bytes, wei.
   * Transports listen on free ports of 127.0.0.1 unless an address is given here.
   */
  readonly settings?: Omit<ConfigOptions, 'home' | 'log'> | undefined
  /** Additional methods, each created by `method`. Their namespaces are always enabled. */
  readonly methods?: readonly Method<ApiContext>[] | undefined
  /** Receives the log lines, each a JSON object, from `level` on. If undefined, nothing is logged. */
  readonly log?: { readonly level: string; write(line: string): void } | undefined
  /** Called when the engine has exited and will not come back; the node is closed by then. */
  readonly onFatal?: ((reason: string) => void) | undefined
}

/** A chain that is served in this process. */
export interface EmbeddedNode {
  /** The in-process provider, with the rights of the operator. */
  readonly provider: Provider
  /** The chain itself, for uses for which JSON-RPC is too slow or too limited. */
  readonly chain: Chain
  /** Closes the node. Resolves when everything is closed and, for a temporary home, removed. */
  close(): Promise<void>
}

/** A node that also listens on sockets. */
export interface ListeningNode extends EmbeddedNode {
  /** The URL of HTTP, `http://127.0.0.1:…`. */
  readonly url: string
  /** The URL of WebSocket, `ws://127.0.0.1:…`. */
  readonly wsUrl: string
}

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
  const temporary = (options.home ?? undefined) === undefined ? makeTemporaryFolder() : undefined
  // The cast is sound because one of the two is defined.
  const home = (options.home ?? temporary?.path) as string
  let service: Service | undefined
  try {
    const { config, given } = loadConfig({
      options: { ...settings, home, jsonRpc: withFreePorts(settings.jsonRpc) },
      purpose,
    })
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
      { log: createLog(options.log), given, onFatal: (reason) => void onFatal(reason), isInteractive: false },
    )
  } catch (error) {
    temporary?.remove()
    throw error
  }
  const { served, urls, connect, close } = service
  const { http = '', ws = '' } = urls()
  return { url: http, wsUrl: ws, provider: createProvider(connect), chain: served.chain, close }
}

/** A free port unless the caller names one: the addresses in a home's app.toml are those of the command line. */
const withFreePorts = (jsonRpc: ConfigOptions['jsonRpc']): NonNullable<ConfigOptions['jsonRpc']> => ({
  ...jsonRpc,
  address: jsonRpc?.address ?? anyPort,
  wsAddress: jsonRpc?.wsAddress ?? anyPort,
})

/** Refuses settings that have an option of their own: they would be ignored, and a home that is ignored is lost data. */
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
