import { inTime } from '../../base/async/maybePromise.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import type { NativeBlock } from '../../comet/data/nativeBlock.ts'
import { TransportError } from '../../comet/data/transportErrors.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import type { BlockWrite } from '../../families/convert/blockWrite.ts'
import type { HeaderProofs } from '../../light/headerProofs.ts'
import type { LightSource } from '../../light/trustChain.ts'
import { type BlockWriter, sizeOf } from './blockWriter.ts'

/** The most blocks, and bytes, that wait for one proof. */
const maxBlocks = 128
const maxBytes = 16 * 1024 * 1024
/**
 * How long one proof may take, of all the headers and validators that it needs. A node that is too slow for it is left; what
 * it has proven up to then stays proven.
 */
const defaultProofMs = 120_000

interface UnprovenOptions {
  /** Whether a block waits until the header after it is proven, which alone confirms what the block did. */
  readonly holdNewest?: boolean | undefined
  readonly proofMs?: number
}

/**
 * Blocks that are linked to each other and wait for the proof of the newest of them, which proves them all. Only then are
 * they written, so that nothing is served that is not proven. Without proofs they are written at once.
 */
export class UnprovenBlocks {
  readonly #writer: Pick<BlockWriter, 'add' | 'last'>
  readonly #proofs: Pick<HeaderProofs, 'prove' | 'trustedHeight'> | undefined
  readonly #source: LightSource
  readonly #holdNewest: boolean
  readonly #proofMs: number
  #waiting: BlockWrite[] = []
  #bytes = 0
  #newest: NativeBlock | undefined

  constructor(
    writer: Pick<BlockWriter, 'add' | 'last'>,
    proofs: Pick<HeaderProofs, 'prove' | 'trustedHeight'> | undefined,
    source: LightSource,
    { holdNewest = false, proofMs = defaultProofMs }: UnprovenOptions = {},
  ) {
    this.#writer = writer
    this.#proofs = proofs
    this.#source = source
    this.#holdNewest = holdNewest
    this.#proofMs = proofMs
  }

  /** Adds a block. Throws an `UpstreamError` if its Ethereum header names another parent than the block before it. */
  async add(block: NativeBlock, write: BlockWrite): Promise<void> {
    const parent = this.#waiting.at(-1)?.rows ?? this.#writer.last
    if (parent !== undefined && !equalBytes(parent.hash, write.rows.parentHash))
      throw new UpstreamError(
        `block ${write.number}: its Ethereum header does not follow the block before it`,
      )
    if (this.#proofs === undefined) return this.#writer.add(write)
    this.#waiting.push(write)
    this.#bytes += sizeOf(write.rows)
    this.#newest = block
    const isTrusted = block.header.height === this.#proofs.trustedHeight
    if (this.#waiting.length >= maxBlocks || this.#bytes >= maxBytes || isTrusted) await this.release(block)
  }

  /** Proves a block, which is the newest that waits or the one after it, and gives what waits to the writer. */
  async release(proven: NativeBlock | undefined = this.#newest): Promise<void> {
    if (this.#proofs !== undefined && proven !== undefined) await this.#prove(this.#proofs, proven)
    // The header that confirms the newest may be one that nobody has proven yet.
    const isBelow = ({ number }: BlockWrite): boolean => number < (proven?.header.height ?? 0)
    const kept = this.#holdNewest ? this.#waiting.filter((write) => !isBelow(write)) : []
    const released = this.#waiting.slice(0, this.#waiting.length - kept.length)
    this.#waiting = kept
    this.#bytes = kept.reduce((sum, { rows }) => sum + sizeOf(rows), 0)
    if (kept.length === 0) this.#newest = undefined
    for (const write of released)
      await this.#writer.add({ ...write, isConfirmed: write.isConfirmed && isBelow(write) })
  }

  async #prove(proofs: Pick<HeaderProofs, 'prove'>, block: NativeBlock): Promise<void> {
    const proof = proofs.prove(this.#source, block).then(() => true)
    if ((await inTime(proof, this.#proofMs)) === undefined)
      throw new TransportError(
        `the proof of block ${block.header.height} takes longer than ${this.#proofMs} ms`,
      )
  }
}
