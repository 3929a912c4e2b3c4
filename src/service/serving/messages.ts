import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { ChainMode } from '../../chain/port/chain.ts'
import type { Config, JsonRpcSettings } from '../../config/settings/settings.ts'
import type { ApiKeyOptions } from '../../rpc/access/apiKey.ts'
import type { Access, WorkClass } from '../../rpc/methodKinds.ts'
import type { ListenerRole } from '../../rpc/transport/listener.ts'
import type { TransportOverrides } from '../../rpc/transport/overrides.ts'
import type { TlsFiles } from '../../rpc/transport/tls.ts'

/** A method of the program that uses the library, whose handler only the main process has. */
export interface AddedMethod {
  readonly name: string
  readonly access: Access
  readonly work: WorkClass | undefined
  readonly params: readonly { readonly name: string; readonly secret: boolean }[]
}

/** What a serving process needs to know. */
export interface ServingOptions {
  readonly home: string
  /** The free space of the disk that is left for blocks. */
  readonly minFreeSpace: number
  readonly dataFile: string
  readonly headFile: string
  readonly mode: ChainMode
  readonly isDev: boolean
  /** Whether clients may change the next block. */
  readonly isDevChain: boolean
  readonly servesExplorer: boolean
  readonly pruning: Config['pruning']
  readonly retainedBlocks: number | undefined
  readonly minimumGasPrice: bigint
  readonly jsonRpc: JsonRpcSettings
  readonly clientVersion: string
  readonly namespaces: readonly string[]
  /** The answer of `rpc_modules`. */
  readonly modules: Readonly<Record<string, string>>
  readonly added: readonly AddedMethod[]
  /** The pages that the main process renders. */
  readonly pages: readonly string[]
  readonly secret: Uint8Array
  readonly keys: readonly ApiKeyOptions[] | undefined
  readonly tls: TlsFiles | undefined
}

export type Metrics = MetricObjectWithValues<MetricValue<string>>[]

/** What a serving process is asked to do. The socket to listen on comes beside the message. */
export type ControlRequest =
  | { readonly kind: 'start'; readonly options: ServingOptions }
  | { readonly kind: 'listen'; readonly role: ListenerRole; readonly overrides: TransportOverrides }
  | { readonly kind: 'unlisten'; readonly role: ListenerRole }
  | {
      readonly kind: 'reload'
      readonly settings: JsonRpcSettings
      readonly keys: readonly ApiKeyOptions[] | undefined
      readonly tls: TlsFiles | undefined
    }
  | { readonly kind: 'metrics' }
  | { readonly kind: 'stop' }

/** A request with the number of its answer. */
export interface ControlMessage {
  readonly id: number
  readonly request: ControlRequest
}

export type ControlReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  /** A line of the log, as JSON. */
  | { readonly line: string }
