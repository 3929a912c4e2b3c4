import type { Logger } from '../../../base/logging/log.ts'
import type { ChainReader } from '../../../node/reading/openReader.ts'
import type { WireEvent } from '../pipe/wire.ts'
import type { PublishedHead, PublishedHeadReader } from './headFile.ts'

export interface HeadFollowerDependencies {
  readonly reader: ChainReader
  readonly heads: Pick<PublishedHeadReader, 'next' | 'forget'>
  /** Called when the chain is forked from a remote one, so that nothing is reported here of its blocks any more. */
  readonly onForked: () => void
  /** Called when logs were removed that are not told here, because they are too many. */
  readonly onLogsLost: () => void
  readonly log: Logger
}

/** Moves a serving process to the head that the main process has published, and tells its subscriptions of it. */
export class HeadFollower {
  readonly #dependencies: HeadFollowerDependencies
  #epoch: number
  #reverts: number
  /** The last block that was reported to subscriptions. */
  #told: number
  #isForked: boolean
  #isMainOnly: boolean
  /** The version of the head, or of none, that was last logged as unreadable: it is read again for every call. */
  #unreadable: number | 'none' | undefined

  constructor(
    { number, epoch, reverts, isChanging, isForked }: PublishedHead,
    dependencies: HeadFollowerDependencies,
  ) {
    this.#epoch = epoch
    this.#reverts = reverts
    this.#told = number
    // The given head counts as taken, so that nothing looks at it again.
    this.#isForked = isForked
    this.#isMainOnly = isForked || isChanging
    this.#dependencies = dependencies
  }

  /** Moves to the published head. Returns false if only the main process may answer now. Called for every call. */
  follow(): boolean {
    let head: PublishedHead | undefined
    try {
      head = this.#dependencies.heads.next()
    } catch (error) {
      this.#warn(error, 'none')
      return false
    }
    if (head !== undefined) this.#isMainOnly = !this.#take(head)
    return !this.#isMainOnly
  }

  onEvent(event: WireEvent): void {
    if (event.kind !== 'reverted') {
      this.follow()
      return
    }
    const { reader, onLogsLost } = this.#dependencies
    const { reverts, to, removed = [] } = event
    // A process that opened the store after this knows.
    if (reverts === this.#reverts) return
    this.#reverts = reverts
    if (to !== undefined && to < this.#told) {
      // What is read of the store from here on is as it is now.
      reader.refresh()
      this.#told = to
      if (event.removed === undefined) onLogsLost()
      const logs = removed.map(({ number, logs }) => ({ number, logs: logs.map((log) => Buffer.from(log)) }))
      reader.events.relay({ kind: 'reverted', to, removedLogs: () => logs })
    }
    this.#dependencies.heads.forget()
    this.follow()
  }

  /** Returns whether this process may answer. */
  #take({ version, number, epoch, reverts, isChanging, isForked }: PublishedHead): boolean {
    const { reader, heads, onForked } = this.#dependencies
    if (isForked && !this.#isForked) onForked()
    this.#isForked = isForked
    if (isForked) return false
    // What was removed is reported by the main process first.
    if (reverts !== this.#reverts) return false
    try {
      if (epoch !== this.#epoch) reader.reset()
      this.#epoch = epoch
      reader.moveTo(number)
      this.#tell(number)
      this.#unreadable = undefined
      return !isChanging
    } catch (error) {
      // The next call looks again; until then the main process answers.
      heads.forget()
      this.#warn(error, version)
      return false
    }
  }

  #warn(error: unknown, version: number | 'none'): void {
    if (version === this.#unreadable) return
    this.#unreadable = version
    this.#dependencies.log.warn({ err: error }, 'the head cannot be read')
  }

  #tell(number: number): void {
    const { chain, events } = this.#dependencies.reader
    if (number <= this.#told) {
      this.#told = number
      return
    }
    // After a jump the blocks in between are not there.
    const from = chain.blocks.header(this.#told + 1) === undefined ? number - 1 : this.#told
    this.#told = number
    events.emitExtended(from, number)
  }
}
