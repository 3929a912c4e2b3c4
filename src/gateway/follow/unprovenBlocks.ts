import type { HeaderProofs } from '../light/headerProofs.ts'
import type { LightSource } from '../light/trustChain.ts'
import type { NativeBlock } from '../parse/native.ts'
import { type BlockWrite, type BlockWriter, sizeOf } from './blockWriter.ts'

/** The most blocks, and bytes, that wait for one proof. */
const maxBlocks = 128
const maxBytes = 16 * 1024 * 1024

/**
 * Blocks that are linked to each other and wait for the proof of the newest of them, which proves them all. Only then are
 * they written, so that nothing is served that is not proven. Without proofs they are written at once.
 */
export class UnprovenBlocks {
  readonly #writer: BlockWriter
  readonly #proofs: HeaderProofs | undefined
  readonly #source: LightSource
  #waiting: BlockWrite[] = []
  #bytes = 0
  #newest: NativeBlock | undefined

  constructor(writer: BlockWriter, proofs: HeaderProofs | undefined, source: LightSource) {
    this.#writer = writer
    this.#proofs = proofs
    this.#source = source
  }

  async add(block: NativeBlock, write: BlockWrite): Promise<void> {
    if (this.#proofs === undefined) return this.#writer.add(write)
    this.#waiting.push(write)
    this.#bytes += sizeOf(write.rows)
    this.#newest = block
    const isTrusted = block.header.height === this.#proofs.trustedHeight
    if (this.#waiting.length >= maxBlocks || this.#bytes >= maxBytes || isTrusted) await this.release(block)
  }

  /** Proves a block, which is the newest that waits or linked to it, and gives what waits to the writer. */
  async release(proven: NativeBlock | undefined = this.#newest): Promise<void> {
    if (this.#proofs !== undefined && proven !== undefined) await this.#proofs.prove(this.#source, proven)
    const written = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    this.#newest = undefined
    for (const write of written) await this.#writer.add(write)
  }
}
