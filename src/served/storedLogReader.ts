import { equalBytes } from '../base/encoding/bytes.ts'
import { headerNotFound, unavailable, unsupported } from '../chain/chainError.ts'
import type { TransactionLocation } from '../chain/port/location.ts'
import type { AppearanceQuery, BlockLogs, LogBounds, LogPattern, LogReader } from '../chain/port/logs.ts'
import type { BlockStoreReader as StoredBlocks } from '../store/blockStoreReader.ts'

/** Reads logs from the local store. */
export class StoredLogReader implements LogReader {
  readonly #blocks: StoredBlocks

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks
  }

  *search(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    if (from > to) return
    const hash = this.#blocks.blockHashAt(to)
    if (hash === undefined) throw headerNotFound()
    this.#assertRetained(from, to)
    for (const found of this.#blocks.logs.run(pattern, from, to)) {
      yield found
      // Other code may have run since, and moved the head or pruned old blocks.
      const now = this.#blocks.blockHashAt(to)
      if (now === undefined || !equalBytes(now, hash))
        throw unavailable('blocks were reverted during the search; try again')
      this.#assertRetained(from, to)
    }
  }

  searchAll(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    return this.search(pattern, from, to)
  }

  bounds(): LogBounds {
    return { earliest: this.#blocks.oldestComplete(), firstHere: 0 }
  }

  appearances(query: AppearanceQuery): readonly TransactionLocation[] {
    const { appearances } = this.#blocks
    if (appearances.from() === undefined)
      throw unsupported('the index of appearances is off (index.appearances)')
    return appearances.find(query)
  }

  /** Throws if logs of the range are pruned. Block 0 is never pruned. */
  #assertRetained(from: number, to: number): void {
    const oldest = this.#blocks.oldestComplete()
    if (from < oldest && !(to === 0 && this.#blocks.isRetained(0)))
      throw unavailable(`logs below block ${oldest} are not kept any more`)
  }
}
