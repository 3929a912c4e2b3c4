import { sleep } from '../../base/async/sleep.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import type { Logger } from '../../base/logging/log.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { BlockWrite } from '../../families/convert/blockWrite.ts'
import { familyOf } from '../../families/families.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { type BlockFile, readBlockFile } from './blockFile.ts'
import { importBlock } from './importBlock.ts'
import { readSnapshotBytes } from './snapshotBytes.ts'

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
  /** Called before blocks of the snapshot are written, with the number of the last one. */
  readonly onBlocks?: ((last: number) => void) | undefined
  readonly log: Logger
}

/** How often the newest block is compared before it is believed. */
const maxAttempts = 5
const retryMs = 1_000

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
  throw new StoreError(`block ${number} of the snapshot is not that of the chain`)
}

/**
 * Compares the last block of a piece with a node. Older ones may be pruned everywhere: the links and the next comparison
 * decide. The newest one of all is tried several times, because nothing comes after it.
 */
const compareLast = async (
  write: BlockWrite,
  isNewest: boolean,
  dependencies: BootstrapDependencies,
  signal: AbortSignal,
): Promise<void> => {
  // Block 0 of a chain of this program has no native one.
  if (write.nativeHash.length === 0) return
  for (let attempt = 1; !(await isOfChain(write, dependencies)); attempt++) {
    if (signal.aborted || !isNewest) return
    if (attempt === maxAttempts)
      return dependencies.log.warn(
        { block: write.number },
        'no node has the newest block of the snapshot: it is believed',
      )
    await sleep(retryMs, signal)
  }
}

/**
 * Brings the blocks of a snapshot into the store, from where the store ends: in pieces, each with its links and roots checked,
 * and its last block compared with a node of the chain where one has it. What was written stays: the next start continues.
 */
export const bootstrap = async (
  place: string,
  dependencies: BootstrapDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const bytes = readSnapshotBytes(place, signal)
  try {
    await takePieces(await readBlockFile(bytes), dependencies, signal)
  } finally {
    // What is not read any more is not fetched any more.
    await bytes.return(undefined)
  }
}

const takePieces = async (
  { content, pieces }: BlockFile,
  dependencies: BootstrapDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { chainInfo, writer, onTarget, log } = dependencies
  const hasOwnHash = familyOf(chainInfo).blocks.hash === 'header'
  const { chain, first, head } = content
  if (chain !== chainInfo.nativeChainId)
    throw new StoreError(`the snapshot is of chain ${chain}, not of ${chainInfo.nativeChainId}`)
  onTarget(head)
  let parentHash = dependencies.lastHash
  let next = writer.last === undefined ? first : writer.last.number + 1
  if (first > next) throw new StoreError(`the snapshot begins with block ${first}, and the store ends below`)
  for await (const piece of pieces()) {
    // What came before a restart is there.
    const blocks = piece.blocks.slice(Math.max(0, next - piece.first))
    const writes: BlockWrite[] = []
    for (const [index, block] of blocks.entries()) {
      const write = importBlock(block, { number: next + index, parentHash, hasOwnHash }, chainInfo)
      parentHash = write.rows.hash
      writes.push(write)
    }
    const last = writes.at(-1)
    if (last === undefined) continue
    await compareLast(last, last.number === head, dependencies, signal)
    dependencies.onBlocks?.(last.number)
    for (const write of writes) await writer.add(write)
    await writer.flush()
    next = last.number + 1
    log.info({ block: last.number, head }, 'blocks of the snapshot are in the store')
    signal.throwIfAborted()
  }
}
