import { call } from './rpc/client.ts'
import type { Hex, Status } from './rpc/types.ts'
import { createStore } from './store.ts'

/** What is known of the node behind the page. */
export interface NodeFacts {
  readonly chainId: number
  readonly clientVersion: string
  readonly namespaces: ReadonlySet<string>
  /** How it runs; undefined if the namespace `perihelion` is off. */
  readonly status: Status | undefined
  /** Whether it is a chain for development, whose time, accounts and blocks may be changed. */
  readonly isDev: boolean
  /** Whether CometBFT decides its blocks, so that there is a native side. */
  readonly isNative: boolean
}

export const nodeFacts = createStore<NodeFacts | undefined>(undefined)

export const loadNodeFacts = async (): Promise<void> => {
  const [chainId, clientVersion, modules, status] = await Promise.all([
    call<Hex>('eth_chainId'),
    call<string>('web3_clientVersion').catch(() => ''),
    call<Record<string, string>>('rpc_modules').catch(() => ({})),
    call<Status>('perihelion_status').catch(() => undefined),
  ])
  const namespaces = new Set(Object.keys(modules))
  const isDev = namespaces.has('anvil') && clientVersion.startsWith('anvil')
  const isNative = namespaces.has('cosmos') && status?.mode !== 'embedded' && status?.mode !== 'none'
  nodeFacts.set({ chainId: Number(chainId), clientVersion, namespaces, status, isDev, isNative })
}
