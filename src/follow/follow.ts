import { sleep } from '../base/async/sleep.ts'
import type { BlockFetcher, FollowedBlock } from './blockFetcher.ts'
import { isSameChoice, type Only } from './choice.ts'
import { FollowError } from './followError.ts'
import { CursorMovedError, type Output, type Place } from './output.ts'

export interface FollowOptions {
  /** The first block, if no run before has left a cursor. */
  readonly from: number | undefined
  /** The last block; undefined to go on with the chain. */
  readonly to: number | undefined
  readonly traces: boolean
  readonly only?: Only
  readonly pollMs: number
  readonly onProgress: (progress: FollowProgress) => void
  /** Called with the head of the node each time that it is read, and the next block that is not written. */
  readonly onHead?: (head: number, next: number) => void
  /** Called before blocks are removed that the node does not have any more; `last` is the one before them. */
  readonly onTakenBack?: (blocks: number, last: number) => void
}

export interface FollowProgress {
  /** The number of blocks that were written in this run. */
  readonly blocks: number
  readonly transactions: number
  readonly number: number
  readonly target: number
}

/** The node's chain is not the one that it was. */
class RevertedError extends FollowError {}

/** Until then what was written is not saved, at most: a kill costs no more than this to write again. */
const saveEveryMs = 1000

/** Writes every block of a node to an output, each once and in order, until the last one or the signal. */
export class Follower {
  readonly #options: FollowOptions
  readonly #fetcher: BlockFetcher
  readonly #output: Output
  readonly #signal: AbortSignal
  #next = 0
  #hash = ''
  #chainId = ''
  #blocks = 0
  #transactions = 0
  #savedAt = 0

  constructor(
    options: FollowOptions,
    dependencies: { readonly fetcher: BlockFetcher; readonly output: Output; readonly signal: AbortSignal },
  ) {
    this.#options = options
    this.#fetcher = dependencies.fetcher
    this.#output = dependencies.output
    this.#signal = dependencies.signal
  }

  async run(): Promise<{ readonly blocks: number; readonly transactions: number; readonly next: number }> {
    await this.#begin()
    const { to, pollMs } = this.#options
    this.#savedAt = performance.now()
    while (!this.#signal.aborted && (to === undefined || this.#next <= to)) {
      const head = await this.#fetcher.head()
      this.#options.onHead?.(head, this.#next)
      const target = Math.min(head, to ?? head)
      if (target >= this.#next) await this.#tryToWrite(target)
      else if (!(await this.#takeBackFrom(head))) await sleep(pollMs, this.#signal)
    }
    return { blocks: this.#blocks, transactions: this.#transactions, next: this.#next }
  }

  /** Goes on where the run before ended, if this is the same chain. */
  async #begin(): Promise<void> {
    const { from, traces, only } = this.#options
    this.#chainId = await this.#fetcher.chainId()
    const { cursor, past } = this.#output
    if (cursor === undefined) {
      this.#next = from ?? 0
      // What a run that is killed before its first save leaves is known to be its own.
      return await this.#save()
    }
    if (cursor.chainId !== this.#chainId)
      throw new FollowError(
        `the cursor is of chain ${Number(cursor.chainId)}, the node of ${Number(this.#chainId)}`,
      )
    if (cursor.traces !== traces)
      throw new FollowError(
        `the run before was ${cursor.traces ? 'with' : 'without'} --traces: go on so, or begin elsewhere`,
      )
    if (!isSameChoice(cursor.only, only))
      throw new FollowError(
        `the run before was ${cursor.only === undefined ? 'without --only' : `with --only ${cursor.only.join(' ')}`}: go on so, or begin elsewhere`,
      )
    this.#goTo(cursor)
    if (cursor.hash === '' || (await this.#fetcher.hashOf(cursor.next - 1)) === cursor.hash) return
    if (past === undefined)
      throw new FollowError(
        `block ${cursor.next - 1} of the node is not the one that was written: another chain, or one that was reverted`,
      )
    await this.#takeBackFrom(await this.#fetcher.head())
  }

  #goTo({ next, hash }: Pick<Place, 'next' | 'hash'>): void {
    this.#next = next
    this.#hash = hash
  }

  /** Writes up to a block, or finds that the chain or the output is elsewhere, and goes on from there. */
  async #tryToWrite(target: number): Promise<void> {
    try {
      await this.#writeUpTo(target)
    } catch (error) {
      if (error instanceof CursorMovedError && error.place !== undefined) return this.#goTo(error.place)
      if (!(error instanceof RevertedError) || this.#output.past === undefined) throw error
      await this.#takeBackFrom(await this.#fetcher.head())
    }
  }

  /** Removes the newest blocks that were written and are not the node's any more. Returns whether there were any. */
  async #takeBackFrom(head: number): Promise<boolean> {
    const { past } = this.#output
    const newest = Math.min(head, this.#next - 1)
    if (past === undefined || newest < past.first) return false
    const isSame = async (number: number): Promise<boolean> =>
      (await past.hashAt(number)) === (await this.#fetcher.hashOf(number))
    // A node that has fewer blocks may be behind: only another block shows that ours were reverted.
    if (await isSame(newest)) return false
    let [same, other] = [past.first - 1, newest]
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2)
      if (await isSame(middle)) same = middle
      else other = middle
    }
    if (same < past.first)
      throw new FollowError(
        `block ${past.first} of the node is not the one that was written first: another chain`,
      )
    const place = this.#place({ next: same + 1, hash: (await past.hashAt(same)) ?? '' })
    this.#options.onTakenBack?.(this.#next - place.next, same)
    await past.takeBack(place)
    this.#goTo(place)
    return true
  }

  async #writeUpTo(target: number): Promise<void> {
    const output = this.#output
    const last = Math.min(target, output.lastBeside?.(this.#next) ?? target)
    for await (const { blocks, batch } of this.#fetcher.read(this.#next, last, () => output.createBatch())) {
      this.#takeAll(blocks)
      await output.write(batch, blocks.length, this.#place({ next: this.#next, hash: this.#hash }))
      this.#options.onProgress({
        ...{ blocks: this.#blocks, transactions: this.#transactions },
        ...{ number: this.#next - 1, target },
      })
      if (performance.now() - this.#savedAt > saveEveryMs) await this.#save()
      if (this.#signal.aborted) break
    }
    await this.#save()
    if (this.#next > target) await output.onCaughtUp?.()
  }

  /** Counts the next blocks: all, or none. */
  #takeAll(blocks: readonly FollowedBlock[]): void {
    const before = { next: this.#next, hash: this.#hash }
    try {
      for (const block of blocks) this.#take(block)
    } catch (error) {
      this.#goTo(before)
      throw error
    }
  }

  /** Counts the next block, if it is the one after the block before. */
  #take({ number, hash, parentHash, transactions }: FollowedBlock): void {
    if (this.#hash !== '' && parentHash !== this.#hash)
      throw new RevertedError(
        `block ${number} does not follow block ${number - 1}: the chain was reverted meanwhile`,
      )
    this.#hash = hash
    this.#next = number + 1
    this.#blocks++
    this.#transactions += transactions
  }

  #place({ next, hash }: Pick<Place, 'next' | 'hash'>): Place {
    const { traces, only } = this.#options
    return { version: 1, chainId: this.#chainId, next, hash, traces, ...(only && { only }) }
  }

  async #save(): Promise<void> {
    const { to = Number.POSITIVE_INFINITY } = this.#options
    await this.#output.save(this.#place({ next: this.#next, hash: this.#hash }), this.#next > to)
    this.#savedAt = performance.now()
  }
}
