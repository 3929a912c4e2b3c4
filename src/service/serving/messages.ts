import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { ChainMode } from '../../chain/port/chain.ts'
import type { JsonRpcSettings } from '../../config/settings/settings.ts'
import type { Access, WorkClass } from '../../rpc/methodKinds.ts'
import type { ListenerRole } from '../../rpc/transport/listener.ts'
import type { TransportOverrides } from '../../rpc/transport/overrides.ts'
import type { AccessFiles } from '../access/accessFiles.ts'
import type { SharedStore } from '../chain/servedChain.ts'

/** A method of the program that uses the library, whose handler only the main process has. */
export interface AddedMethod {
  readonly name: string
  readonly access: Access
  readonly work: WorkClass | undefined
  readonly params: readonly { readonly name: string; readonly secret: boolean }[]
}

/** What callers prove who they are with, and the server what it is. */
export interface ServedSecrets extends AccessFiles {
  /** The secret that signs bearer tokens. */
  readonly secret: Uint8Array
}

/** What a serving process needs to know. */
export interface ServingOptions
  extends ServedSecrets,
    Pick<SharedStore, 'dataFile' | 'pruning' | 'retainedBlocks' | 'minimumGasPrice'> {
  readonly home: string
  /** The free space of the disk that is left for blocks. */
  readonly minFreeSpace: number
  readonly headFile: string
  readonly mode: ChainMode
  readonly isDev: boolean
  /** Whether clients may change the next block. */
  readonly isDevChain: boolean
  readonly servesExplorer: boolean
  readonly jsonRpc: JsonRpcSettings
  readonly clientVersion: string
  readonly namespaces: readonly string[]
  /** The response of `rpc_modules`. */
  readonly modules: Readonly<Record<string, string>>
  readonly added: readonly AddedMethod[]
  /** The pages that the main process renders. */
  readonly pages: readonly string[]
}

export type Metrics = MetricObjectWithValues<MetricValue<string>>[]

/** What a serving process is asked to do. The socket to listen on comes beside the message. */
export type ControlRequest =
  | { readonly kind: 'start'; readonly options: ServingOptions }
  | { readonly kind: 'listen'; readonly role: ListenerRole; readonly overrides: TransportOverrides }
  | { readonly kind: 'unlisten'; readonly role: ListenerRole }
  | ({ readonly kind: 'reload'; readonly settings: JsonRpcSettings } & Omit<ServedSecrets, 'secret'>)
  | { readonly kind: 'metrics' }
  | { readonly kind: 'stop' }

/** A request with the number of its response. */
export interface ControlMessage {
  readonly id: number
  readonly request: ControlRequest
}

export type ControlReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  /** A line of the log, as JSON. */
  | { readonly line: string }
