import type { Logger } from '../../base/log.ts'
import type { ChainReader } from '../../node/reading/openReader.ts'
import type { HeadReader, PublishedHead } from './headFile.ts'
import type { WireEvent } from './wire.ts'

export interface HeadFollowerDependencies {
  readonly reader: ChainReader
  readonly heads: Pick<HeadReader, 'next' | 'forget'>
  /** Called when the chain is forked from a remote one, so that nothing is told here of its blocks any more. */
  readonly onForked: () => void
  readonly log: Logger
}

/** Moves a serving process to the head that the main process has published, and tells its subscriptions of it. */
export class HeadFollower {
  readonly #dependencies: HeadFollowerDependencies
  #epoch: number
  #reverts: number
  /** The last block that subscriptions were told of. */
  #told: number
  #isMainOnly = false

  constructor({ number, epoch, reverts }: PublishedHead, dependencies: HeadFollowerDependencies) {
    this.#epoch = epoch
    this.#reverts = reverts
    this.#told = number
    this.#dependencies = dependencies
  }

  /** Moves to the published head. Returns false if only the main process may answer now. Called for every call. */
  follow(): boolean {
    const head = this.#dependencies.heads.next()
    if (head !== undefined) this.#isMainOnly = !this.#take(head)
    return !this.#isMainOnly
  }

  onEvent(event: WireEvent): void {
    if (event.kind !== 'reverted') {
      this.follow()
      return
    }
    const { events } = this.#dependencies.reader
    const { reverts, to, removed } = event
    // A process that opened the store after this knows.
    if (reverts === this.#reverts) return
    this.#reverts = reverts
    if (to !== undefined && to < this.#told) {
      // What is read of the store from here on is as it is now.
      this.#dependencies.reader.refresh()
      this.#told = to
      const logs = removed.map(({ number, logs }) => ({ number, logs: logs.map((log) => Buffer.from(log)) }))
      events.relay({ kind: 'reverted', to, removedLogs: () => logs })
    }
    this.#dependencies.heads.forget()
    this.follow()
  }

  /** Returns whether this process may answer. */
  #take({ number, epoch, reverts, isChanging, isForked }: PublishedHead): boolean {
    const { reader, heads, onForked, log } = this.#dependencies
    if (isForked) {
      onForked()
      return false
    }
    // What was removed is told by the main process first.
    if (reverts !== this.#reverts) return false
    try {
      if (epoch !== this.#epoch) reader.reset()
      this.#epoch = epoch
      reader.moveTo(number)
      this.#tell(number)
      return !isChanging
    } catch (error) {
      // The next call looks again; until then the main process answers.
      heads.forget()
      log.warn({ err: error, number }, 'the head cannot be read')
      return false
    }
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
