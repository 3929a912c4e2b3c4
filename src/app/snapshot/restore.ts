import { equalBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/crypto.ts'
import type { LmdbEnvironment } from '../../base/lmdb.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { SnapshotError } from '../../state/snapshot/error.ts'
import { SnapshotImporter } from '../../state/snapshot/import.ts'
import type { StateStore } from '../../state/store.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import type { BlockStore } from '../../store/blockStore.ts'
import { StoreError } from '../../store/meta.ts'
import { decodeHistory, type SnapshotHistory } from './history.ts'
import { decodeMetadata, hashConfig, type SnapshotMetadata, snapshotFormat } from './metadata.ts'

/** A snapshot as a peer offers it, with what the engine's light client verified. */
export interface SnapshotOffer {
  readonly height: number
  readonly format: number
  readonly chunks: number
  readonly hash: Uint8Array
  readonly metadata: Uint8Array
  /** The hash of the block at the height, which the validators of that time signed. */
  readonly appHash: Uint8Array
}

export interface RestoreDependencies {
  readonly environment: LmdbEnvironment
  readonly state: StateStore
  readonly blocks: BlockStore
}

/** Why an offer is not taken. */
export type OfferRejection =
  /** This home has blocks of its own. */
  | 'abort'
  /** Not a snapshot of this chain. */
  | 'snapshot'
  | 'format'
  /** It is not what it says it is. */
  | 'sender'

/** The history is held in memory: no block is this large. */
const maxHistoryBytes = 256 * 2 ** 20

/** Whether the chain has nothing that a snapshot could take away from it. */
export const canRestore = ({ blocks }: Pick<RestoreDependencies, 'blocks'>): boolean =>
  blocks.head()?.number === 0 || blocks.isAtSnapshotStart

/**
 * Fills a store that has its first block alone from the chunks of a snapshot, in their order. Everything is checked
 * against the hash that the engine verified: the block and the headers before it, and by the root in its header the
 * state. Nothing is given up before the history is found right, and nothing is the chain's before the last chunk is.
 */
export class SnapshotRestorer {
  readonly #parts: RestoreDependencies
  readonly #config: ChainConfig
  readonly #offer: SnapshotOffer
  readonly #metadata: SnapshotMetadata
  #history: Uint8Array[] = []
  #historyBytes = 0
  #known: SnapshotHistory | undefined
  #import: SnapshotImporter | undefined
  #next = 0

  constructor(
    parts: RestoreDependencies,
    config: ChainConfig,
    offer: SnapshotOffer,
    metadata: SnapshotMetadata,
  ) {
    this.#parts = parts
    this.#config = config
    this.#offer = offer
    this.#metadata = metadata
  }

  /** Whether this is the chunk that comes next, as the metadata names it. */
  isNext(index: number, chunk: Uint8Array): boolean {
    const expected = this.#metadata.chunks[index]
    return index === this.#next && expected !== undefined && equalBytes(keccak256(chunk), expected)
  }

  /** Takes the chunk that comes next; true after the last one. Throws where the snapshot as a whole is wrong. */
  async add(chunk: Uint8Array): Promise<boolean> {
    const { historyChunks, chunks } = this.#metadata
    if (this.#next < historyChunks) {
      this.#historyBytes += chunk.length
      if (this.#historyBytes > maxHistoryBytes) throw new SnapshotError('its history is too long')
      this.#history.push(chunk)
    } else await this.#import?.add(chunk)
    this.#next++
    if (this.#next === historyChunks) await this.#startImport()
    if (this.#next < chunks.length) return false
    await this.#finish()
    return true
  }

  async #startImport(): Promise<void> {
    const { environment, state, blocks } = this.#parts
    const { height, appHash } = this.#offer
    const { genesisHash, historyChunks, chunks } = this.#metadata
    const history = Buffer.concat(this.#history)
    this.#history = []
    this.#known = decodeHistory(history, this.#config, { height, genesisHash, blockHash: appHash })
    const { stateRoot } = this.#known.block.header
    const manifest = { format: 1 as const, height, root: stateRoot, chunks: chunks.slice(historyChunks) }
    this.#import = await SnapshotImporter.start(environment, state.tables, manifest, () =>
      blocks.revertSnapshotStart(),
    )
  }

  async #finish(): Promise<void> {
    const known = this.#known
    if (known === undefined) throw new SnapshotError('its history is missing')
    const rows = encodeBlockRows(known.block)
    await this.#import?.finish(() => this.#parts.blocks.startAtSnapshot(rows, known.headersBefore))
  }
}

/** Looks at an offer: a restore that waits for its chunks, or why there is none. */
export const evaluateOffer = (
  parts: RestoreDependencies,
  config: ChainConfig,
  offer: SnapshotOffer,
):
  | { readonly restore: SnapshotRestorer }
  | { readonly rejection: OfferRejection; readonly reason: string } => {
  if (!canRestore(parts))
    return { rejection: 'abort', reason: 'this home has blocks: a snapshot is for one that has none' }
  if (offer.format !== snapshotFormat)
    return {
      rejection: 'format',
      reason: `its format is ${offer.format}, this program reads ${snapshotFormat}`,
    }
  let metadata: SnapshotMetadata
  try {
    metadata = decodeMetadata(offer.metadata)
  } catch (error) {
    return { rejection: 'sender', reason: (error as Error).message }
  }
  const localGenesisHash = parts.blocks.meta.genesisHash()
  if (localGenesisHash === undefined || !equalBytes(localGenesisHash, metadata.genesisHash))
    return { rejection: 'snapshot', reason: 'it is of a chain with another first block' }
  if (!equalBytes(hashConfig(config), metadata.configHash))
    return { rejection: 'snapshot', reason: "its chain's config is not this one's" }
  if (
    offer.height < 1 ||
    metadata.chunks.length !== offer.chunks ||
    !equalBytes(keccak256(offer.metadata), offer.hash)
  )
    return { rejection: 'sender', reason: 'it contradicts itself' }
  if (!equalBytes(metadata.blockHash, offer.appHash))
    return { rejection: 'sender', reason: 'its block is not the one that the validators signed' }
  return { restore: new SnapshotRestorer(parts, config, offer, metadata) }
}

/** Whether a restore was broken off: the first block is there, its state is not. */
export const isRestoreInterrupted = ({ state, blocks }: RestoreDependencies): boolean =>
  state.head === undefined && blocks.head() !== undefined

/** Puts the state of the first block back, where a restore gave it up and came to nothing. */
export const resetToGenesis = async (
  { environment, state, blocks }: RestoreDependencies,
  genesis: Genesis,
): Promise<void> => {
  await environment.transact(() => {
    state.tables.clear()
    blocks.revertSnapshotStart()
  })
  const prepared = state.prepare(0, genesis.changes)
  const header = blocks.header(0)
  if (header === undefined || !equalBytes(header.stateRoot, prepared.root))
    throw new StoreError('the genesis is not the one that this home began with')
  await environment.transact(() => prepared.write())
}
