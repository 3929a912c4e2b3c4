import { existsSync } from 'node:fs'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { familyOf } from '../../families/families.ts'
import { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { tableNames } from '../../store/tables/chainTables.ts'

/** The identity of the chain, as a gateway saves it in its store. */
interface StoreIdentity {
  readonly gateway: {
    readonly nativeChainId: string
    /** Whether blocks have the hashes of their Ethereum headers. Stores have this member under this name. */
    readonly isOwn: boolean
  }
}

/** Returns what a store says of the chain whose blocks it has. */
export const toStoreIdentity = (chainInfo: ChainInfo): string => {
  const isOwn = familyOf(chainInfo).blocks.hash === 'header'
  const identity: StoreIdentity = { gateway: { nativeChainId: chainInfo.nativeChainId, isOwn } }
  return JSON.stringify(identity)
}

/** Returns CometBFT's id of the chain whose blocks a gateway stored; undefined if the store is not a gateway's. */
export const storedChain = ({ meta }: Pick<BlockStoreReader, 'meta'>): string | undefined => {
  try {
    const text = Buffer.from(meta.enginePosition() ?? []).toString()
    const chain: unknown = (JSON.parse(text) as StoreIdentity).gateway.nativeChainId
    return typeof chain === 'string' ? chain : undefined
  } catch {
    return undefined
  }
}

/** Returns the identity in words; undefined if there is none of a gateway. */
const describeIdentity = (text: string | undefined): string | undefined => {
  try {
    const { nativeChainId, isOwn } = (JSON.parse(text ?? '') as StoreIdentity).gateway
    return `chain ${nativeChainId}${isOwn ? ' of this program' : ''}`
  } catch {
    return undefined
  }
}

/** Throws if a store has blocks, and they are not of this chain. */
export const assertSameChain = (
  store: Pick<BlockStoreReader, 'head' | 'meta'>,
  chainInfo: ChainInfo,
  path: string,
): void => {
  if (!store.head()) return
  const row = store.meta.enginePosition()
  const stored = row && Buffer.from(row).toString()
  const expected = toStoreIdentity(chainInfo)
  if (stored === expected) return
  const [found, wanted] = [describeIdentity(stored), describeIdentity(expected)]
  throw new StoreError(
    found === undefined
      ? `${path} has the blocks of a node that makes its own: a gateway needs another --home`
      : `${path} has blocks of ${found}, and the nodes are of ${wanted}: name nodes of the first, or choose another --home`,
  )
}

/** Does the same for a data file, which may be in use and may not be there. */
export const assertStoredChain = async (path: string, chainInfo: ChainInfo): Promise<void> => {
  if (!existsSync(path)) return
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    if (environment.hasTable(tableNames.meta))
      assertSameChain(new BlockStoreReader(environment), chainInfo, path)
  } finally {
    await environment.close()
  }
}
