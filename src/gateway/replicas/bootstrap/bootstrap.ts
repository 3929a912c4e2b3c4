import { withAnySignal } from '../../../base/abort.ts'
import { sleep } from '../../../base/async/sleep.ts'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import type { Logger } from '../../../base/logging/log.ts'
import { NativeQueryError } from '../../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../../cosmos/chainInfo.ts'
import type { BlockWrite } from '../../../families/convert/blockWrite.ts'
import { familyOf } from '../../../families/families.ts'
import { StoreError } from '../../../store/tables/chainMeta.ts'
import { Peer, PeerAwayError, PeerRefusedError } from '../peer.ts'
import { anyReplica } from '../peerCall.ts'
import type { ExportedBlocks } from './exportBlocks.ts'
import { importBlock } from './importBlock.ts'

export interface BootstrapOptions {
  /** The JSON-RPC of the replica whose blocks are taken. */
  readonly url: string
  readonly token: string
  /** The number of this replica. */
  readonly replica: number
}

/** Writes the blocks that are taken, in their order. */
export interface BootstrapWriter {
  readonly last: { readonly number: number } | undefined
  add(block: BlockWrite): Promise<void>
  flush(): Promise<void>
  /** Removes what was written. */
  discard(): Promise<void>
}

export interface BootstrapDependencies {
  readonly chainInfo: ChainInfo
  readonly writer: BootstrapWriter
  /** The hash of the newest block of the store; undefined if it is empty. */
  readonly lastHash: Uint8Array | undefined
  /** Returns CometBFT's hash of a block, as a node of the chain has it. Throws a `NativeQueryError`. */
  readonly nativeHashAt: (height: number) => Promise<Uint8Array>
  readonly onTarget: (height: number) => void
  /** Called before blocks of the replica are written, with the number of the last one. */
  readonly onBlocks?: ((last: number) => void) | undefined
  readonly log: Logger
}

const pieceTimeoutMs = 60_000
/** How often in a row a piece is asked for before the nodes are asked instead. */
const maxAttempts = 5
const retryMs = 1_000

/** Returns a piece; what its blocks hold is checked with each. */
const toPiece = (value: unknown): ExportedBlocks => {
  const { chain, first, head, blocks } = (value ?? {}) as Partial<ExportedBlocks>
  const areHeights = [first, head].every((height) => Number.isSafeInteger(height) && (height as number) >= 0)
  if (typeof chain !== 'string' || !areHeights || !Array.isArray(blocks))
    throw new StoreError('the replica sent no blocks')
  return value as ExportedBlocks // checked above
}

/** Fetches pieces of the store of another replica, until the signal ends it. */
class PieceSource {
  readonly #peer: Peer
  readonly #signal: AbortSignal

  constructor(options: BootstrapOptions, signal: AbortSignal) {
    const { url, token, replica } = options
    this.#peer = new Peer({
      self: replica,
      replica: anyReplica,
      name: 'the replica of gateway.bootstrap',
      url,
      token,
      now: Date.now,
    })
    this.#signal = signal
  }

  /** Ends the connections. */
  close(): void {
    this.#peer.close()
  }

  async fetch(from: number | undefined): Promise<ExportedBlocks> {
    for (let attempt = 1; ; attempt++) {
      try {
        const request = { timeoutMs: pieceTimeoutMs, signal: this.#signal }
        const answer = await this.#peer.call('replica_blocks', [from ?? null], request)
        if (answer.error !== undefined) throw new StoreError(`the replica refuses: ${answer.error.message}`)
        return toPiece(answer.result)
      } catch (error) {
        const isAway = error instanceof PeerAwayError && !(error instanceof PeerRefusedError)
        if (!isAway || attempt === maxAttempts || this.#signal.aborted) throw error
        await sleep(retryMs, this.#signal)
      }
    }
  }
}

const takePieces = async (
  source: PieceSource,
  dependencies: BootstrapDependencies,
  signal: AbortSignal,
): Promise<boolean> => {
  const { chainInfo, writer, onTarget, log } = dependencies
  const hasOwnHash = familyOf(chainInfo).blocks.hash === 'header'
  let parentHash = dependencies.lastHash
  let taken = 0
  const next = (): number | undefined => (writer.last === undefined ? undefined : writer.last.number + 1)
  let coming = source.fetch(next())
  for (;;) {
    const { chain, first, head, blocks } = await coming
    if (chain !== chainInfo.nativeChainId)
      throw new StoreError(`the replica is of chain ${chain}, not of ${chainInfo.nativeChainId}`)
    if (next() !== undefined && first !== next()) throw new StoreError('the replica sent other blocks')
    onTarget(head)
    const end = first + blocks.length
    const isLast = blocks.length === 0 || end > head
    // The next piece travels while this one is written.
    if (!isLast) {
      coming = source.fetch(end)
      coming.catch(() => undefined)
    }
    const writes: BlockWrite[] = []
    for (const [index, block] of blocks.entries()) {
      const write = importBlock(block, { number: first + index, parentHash, hasOwnHash }, chainInfo)
      parentHash = write.rows.hash
      writes.push(write)
    }
    await compareLast(writes.at(-1), isLast ? maxAttempts : 1, dependencies, signal)
    if (writes.length > 0) dependencies.onBlocks?.(end - 1)
    for (const write of writes) await writer.add(write)
    await writer.flush()
    taken += writes.length
    if (taken > 0 && !isLast) log.info({ block: end - 1, head }, 'blocks of another replica are in the store')
    if (isLast && taken > 0)
      log.info({ blocks: taken }, 'the store begins with the blocks of another replica')
    if (isLast || signal.aborted) return isLast
  }
}

/**
 * Brings the blocks of another replica into the store, from where the store ends, until it is where the replica was
 * when it was last asked: in pieces, each with its links and roots checked, and its last block compared with a node of the chain
 * where one has it. Returns whether it came to the end. What was written stays: the next start continues.
 */
export const bootstrap = (
  options: BootstrapOptions,
  dependencies: BootstrapDependencies,
  signal: AbortSignal,
): Promise<boolean> => {
  const ended = new AbortController()
  return withAnySignal([signal, ended.signal], async (fetching) => {
    const source = new PieceSource(options, fetching)
    try {
      return await takePieces(source, dependencies, signal)
    } finally {
      // The next piece may still be on its way, or be asked for again.
      ended.abort()
      source.close()
    }
  })
}

/** Returns whether a node of the chain has this block; throws if it has another one. */
const isOfChain = async (
  { number, nativeHash }: BlockWrite,
  { nativeHashAt }: BootstrapDependencies,
): Promise<boolean> => {
  try {
    if (equalBytes(await nativeHashAt(number), nativeHash)) return true
  } catch (error) {
    // A node that has pruned it or does not have it yet, or none that answers.
    if (error instanceof NativeQueryError) return false
    throw error
  }
  throw new StoreError(`block ${number} of the replica is not that of the chain`)
}

/**
 * Compares the last block of a piece with a node. Older ones may be pruned everywhere: the links and the next comparison
 * decide. The newest one of all is tried several times, because nothing comes after it.
 */
const compareLast = async (
  write: BlockWrite | undefined,
  attempts: number,
  dependencies: BootstrapDependencies,
  signal: AbortSignal,
): Promise<void> => {
  // Block 0 of a chain of this program has no native one.
  if (write === undefined || write.nativeHash.length === 0) return
  for (let attempt = 1; !(await isOfChain(write, dependencies)) && !signal.aborted; attempt++) {
    if (attempt < attempts) await sleep(retryMs, signal)
    else {
      if (attempts > 1)
        dependencies.log.warn(
          { block: write.number },
          'no node has the newest block of the replica: it is believed',
        )
      return
    }
  }
}
