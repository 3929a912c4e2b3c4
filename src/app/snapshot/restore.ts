import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { createLiveConfig } from '../../chain/config/liveConfig.ts'
import { blobGasPrice } from '../../chain/fees/blobGas.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { followSchedule } from '../../chain/validators/schedule.ts'
import { SnapshotError } from '../../state/snapshot/snapshotError.ts'
import { SnapshotImporter } from '../../state/snapshot/snapshotImporter.ts'
import type { StateStore } from '../../state/stateStore.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import type { BlockStore } from '../../store/blockStore.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { decodeHistory, type SnapshotHistory } from './history.ts'
import { decodeMetadata, hashConfig, type SnapshotMetadata, snapshotFormat } from './metadata.ts'

/** A snapshot that a peer offers, with the hash that the engine's light client verified. */
export interface SnapshotOffer {
  readonly height: number
  readonly format: number
  readonly chunks: number
  readonly hash: Uint8Array
  readonly metadata: Uint8Array
  /** The hash of the block at the height, signed by the validators of that height. */
  readonly appHash: Uint8Array
}

export interface RestoreDependencies {
  readonly environment: LmdbEnvironment
  readonly state: StateStore
  readonly blocks: BlockStore
}

/** The reason for rejecting an offer. */
export type OfferRejection =
  /** This home already has blocks. */
  | 'abort'
  /** The snapshot is of another chain. */
  | 'snapshot'
  | 'format'
  /** The offer contradicts itself or the verified hash. */
  | 'sender'

/** The maximum size of the history, which is held in memory. No block is this large. */
const maxHistoryBytes = 256 * 2 ** 20

/** Returns whether the chain has no blocks that a snapshot would replace. */
export const canRestore = ({ blocks }: Pick<RestoreDependencies, 'blocks'>): boolean =>
  blocks.head()?.number === 0 || blocks.isAtSnapshotStart

/**
 * Fills a store that only has its genesis block from the chunks of a snapshot, in order. Everything is checked against
 * the hash that the engine verified: the block, the headers before it, and through the state root in its header the
 * state. Nothing is deleted before the history is verified, and nothing becomes part of the chain before the last chunk
 * is verified.
 */
export class SnapshotRestorer {
  readonly #dependencies: RestoreDependencies
  readonly #config: ChainConfig
  readonly #offer: SnapshotOffer
  readonly #metadata: SnapshotMetadata
  #history: Uint8Array[] = []
  #historyBytes = 0
  #verified: SnapshotHistory | undefined
  #import: SnapshotImporter | undefined
  #next = 0

  constructor(
    dependencies: RestoreDependencies,
    config: ChainConfig,
    offer: SnapshotOffer,
    metadata: SnapshotMetadata,
  ) {
    this.#dependencies = dependencies
    this.#config = config
    this.#offer = offer
    this.#metadata = metadata
  }

  /** Returns whether this is the next chunk and has the hash that the metadata names. */
  isNext(index: number, chunk: Uint8Array): boolean {
    const expected = this.#metadata.chunks[index]
    return index === this.#next && expected !== undefined && equalBytes(keccak256(chunk), expected)
  }

  /** Adds the next chunk and returns true after the last one. Throws if the snapshot as a whole is invalid. */
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
    const { environment, state, blocks } = this.#dependencies
    const { height, appHash } = this.#offer
    const { genesisHash, historyChunks, chunks } = this.#metadata
    const history = Buffer.concat(this.#history)
    this.#history = []
    this.#verified = decodeHistory(history, this.#config, { height, genesisHash, blockHash: appHash })
    const { stateRoot } = this.#verified.block.header
    const manifest = { format: 1 as const, height, root: stateRoot, chunks: chunks.slice(historyChunks) }
    this.#import = await SnapshotImporter.start(environment, state.tables, manifest, () =>
      blocks.revertSnapshotStart(),
    )
  }

  async #finish(): Promise<void> {
    const verified = this.#verified
    if (verified === undefined) throw new SnapshotError('its history is missing')
    await this.#import?.finish(() => {
      const rows = encodeBlockRows({ ...verified.block, blobGasPrice: this.#blobGasPrice(verified) })
      this.#dependencies.blocks.startAtSnapshot(rows, verified.headersBefore)
    })
  }

  /** Returns the price in the restored block. The forks up to it may have been scheduled after the genesis. */
  #blobGasPrice({ block: { header } }: SnapshotHistory): bigint | undefined {
    const config = createLiveConfig(this.#config)
    followSchedule(config, this.#dependencies.state.reader(this.#offer.height))
    return blobGasPrice(config, header)
  }
}

/** Checks an offer. Returns a restorer that waits for the chunks, or the reason for the rejection. */
export const evaluateOffer = (
  dependencies: RestoreDependencies,
  config: ChainConfig,
  offer: SnapshotOffer,
):
  | { readonly restore: SnapshotRestorer }
  | { readonly rejection: OfferRejection; readonly reason: string } => {
  if (!canRestore(dependencies))
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
  const localGenesisHash = dependencies.blocks.meta.genesisHash()
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
  return { restore: new SnapshotRestorer(dependencies, config, offer, metadata) }
}

/** Returns whether a restore was interrupted: the genesis block is stored, its state is not. */
export const isRestoreInterrupted = ({ state, blocks }: RestoreDependencies): boolean =>
  state.head === undefined && blocks.head() !== undefined

/** Restores the state of the genesis block after a restore that deleted it was interrupted. */
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
