import { equalBytes } from '../../base/encoding/bytes.ts'
import type { NativeBlock } from '../../comet/data/nativeBlock.ts'
import { ProvenLie } from '../../comet/data/provenLie.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { verifyBlock, verifyResults } from '../../comet/data/verifyBlock.ts'
import type { BlockWrite } from '../../families/convert/blockWrite.ts'
import type { BlockConversion } from './blockConversion.ts'
import type { BlockSource } from './blockSource.ts'
import type { LastBlock } from './blockWriter.ts'
import { type FollowDependencies, isJudgement } from './followOptions.ts'
import type { UnprovenBlocks } from './unprovenBlocks.ts'

/** Judges the newest block, which is served on the word of one upstream, by the header of the next one. */
export class NewestBlock {
  readonly #chainId: string
  readonly #dependencies: FollowDependencies
  readonly #conversion: BlockConversion

  constructor(chainId: string, dependencies: FollowDependencies, conversion: BlockConversion) {
    this.#chainId = chainId
    this.#dependencies = dependencies
    this.#conversion = conversion
  }

  /**
   * Checks the results of the newest block against the next header; if they differ, replaces the block with one that
   * matches. That header is proven first: who makes one up would have the block replaced, and its teller called a liar.
   */
  async verify(
    source: BlockSource,
    last: LastBlock,
    nextBlock: NativeBlock,
    unproven: UnprovenBlocks,
  ): Promise<void> {
    const { header: next } = nextBlock
    const isTrue =
      last.resultsHash.length === 0 ||
      (equalBytes(last.resultsHash, next.lastResultsHash) &&
        (last.appHash === undefined || equalBytes(last.appHash, next.appHash)))
    if (isTrue) return
    await unproven.release(nextBlock)
    const { writer, log, upstreams, onQuarantine, onLie } = this.#dependencies
    const { number, node } = last
    const reason = `what it said block ${number} did is not what the next header says`
    log.error({ block: number, node, next: source.node }, 'the newest block was wrong: it is requested again')
    const again = await source.fetch(number)
    let write: BlockWrite
    try {
      verifyBlock(again.block, { chainId: this.#chainId, height: number })
      if (!equalBytes(again.block.hash, last.nativeHash))
        throw new UpstreamError(`block ${number}: its hash is another than before`)
      verifyResults(again.results, next)
      write = await this.#conversion.convert(again, next)
      if (!equalBytes(write.rows.parentHash, last.parentHash))
        throw new UpstreamError(`block ${number}: its Ethereum header does not follow the block before it`)
    } catch (error) {
      // The upstream contradicts itself, so its results of the newest block are not served any longer.
      if (isJudgement(error) && node === source.node && !(await writer.revertLast()))
        log.error({ block: number }, 'the only block there is may be wrong')
      throw error
    }
    await writer.replaceLast(write)
    log.error({ block: number, node }, 'the newest block was rewritten')
    if (node === source.node) throw new ProvenLie('other results', number, reason)
    // The block was loaded from the store, so the upstream that reported it is not known any more.
    if (node === undefined) return
    onLie?.(node, new ProvenLie('other results', number, reason))
    upstreams.quarantine(node, reason, true)
    onQuarantine(node, reason, true)
  }
}
