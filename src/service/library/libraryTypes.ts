import type { ApiContext } from '../../api/context.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { ConfigOptions } from '../../config/sources/options.ts'
import type { Method } from '../../rpc/method.ts'
import type { Provider } from '../rpc/providerTypes.ts'

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
  /** Whether history of the home may be removed that `pruning` or `minRetainBlocks` do not keep; without it such a start fails. */
  readonly removesHistory?: boolean | undefined
  /** Additional methods, each created by `method`. Their namespaces are always enabled. */
  readonly methods?: readonly Method<ApiContext>[] | undefined
  /** Receives the log lines, each a JSON object, from `level` on. If undefined, nothing is logged. */
  readonly log?: { readonly level: string; write(line: string): void } | undefined
  /** Called when the engine has ended and cannot go on; the node is closed by then. */
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
