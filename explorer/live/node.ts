import { isHash } from '../format/hex.ts'
import { call, callUntil } from '../rpc/client.ts'
import { RpcFailure } from '../rpc/failure.ts'
import type { Block, Hex, Status } from '../rpc/types.ts'
import { createStore } from '../state/store.ts'

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
  /** Whether other nodes have a part in it: a chain of one process has neither validators nor peers. */
  readonly isAlone: boolean
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
  const isAlone = status?.mode === 'embedded'
  nodeFacts.set({ chainId: Number(chainId), clientVersion, namespaces, status, isDev, isNative, isAlone })
}

/**
 * Which chain is behind the page, by its id and the hash of its first block; undefined until it is known. Many chains have
 * the same id, and the same address of a server leads to one after the other, or to several below it.
 */
export const chainKey = createStore<string | undefined>(undefined)

/** A node that has no first block says so; an unreachable one says nothing. */
const noBlock = (error: unknown): null => {
  if (error instanceof RpcFailure && error.code !== undefined) return null
  throw error
}

let asking = new AbortController()

export const loadChainKey = async (): Promise<void> => {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  const [chainId, first] = await Promise.all([
    call<Hex>('eth_chainId'),
    // Alone, since others should not wait for it: the node of a fork must ask another one. Unproven: it only names what the
    // browser keeps for this chain.
    callUntil<Pick<Block, 'hash'> | null>(signal, 'eth_getBlockByNumber', '0x0', false).catch(noBlock),
  ])
  const hash = first?.hash ?? ''
  // Another chain may have come meanwhile, for which it is asked again.
  if (!signal.aborted) chainKey.set(`${Number(chainId)}.${isHash(hash) ? hash : ''}`)
}
