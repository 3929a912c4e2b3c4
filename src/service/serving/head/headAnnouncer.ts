import type { HeadChange } from '../../../chain/port/events.ts'
import type { HeadWitness } from '../../../node/reading/headWitness.ts'
import type { WireEvent } from '../pipe/wire.ts'
import type { HeadPublisher } from './headFile.ts'

export interface HeadAnnouncerDependencies {
  readonly publisher: Pick<HeadPublisher, 'publish'>
  /** Tells every serving process. */
  readonly tell: (event: WireEvent) => void
  /** Resolves when every serving process has done its work; those that do not are ended. */
  readonly sync: () => Promise<void>
  /** Ends every serving process, at once: the head that they read is not the head any more, or they do not know of it. */
  readonly onUnpublished: (error: unknown) => void
}

/** What was removed, as it is reported. */
type Removed = Extract<WireEvent, { kind: 'reverted' }>['removed']

/** The most bytes of removed logs that are reported: all processes get them, in one message each. */
export const maxRemovedBytes = 16 * 2 ** 20

/**
 * Publishes each head to the serving processes in the moment in which the main process takes it, so that it is visible
 * everywhere before anybody is notified of it. Blocks are removed when nobody needs them any more to tell of them.
 */
export class HeadAnnouncer implements HeadWitness {
  readonly #dependencies: HeadAnnouncerDependencies
  #number = 0
  #isForked = false
  #epoch = 0
  #reverts = 0
  /** Whether blocks are being removed. */
  #isChanging = false
  /** Whether the processes must be told still that blocks were removed. */
  #owesRevert = false
  #isPublished = true

  constructor(dependencies: HeadAnnouncerDependencies) {
    this.#dependencies = dependencies
  }

  onMove(number: number, isForked: boolean): void {
    this.#number = number
    this.#isForked = isForked
    if (this.#isChanging) {
      this.#isChanging = false
      this.#reverts++
      this.#owesRevert = true
      // Listeners here are notified in the same turn, unless nothing was removed.
      queueMicrotask(() => {
        if (this.#owesRevert) this.#tellReverted(undefined, [])
      })
    }
    this.#publish()
    this.#dependencies.tell({ kind: 'moved' })
  }

  async beforeRevert(): Promise<void> {
    this.#isChanging = true
    this.#publish()
    await this.#dependencies.sync()
  }

  onReset(): void {
    this.#epoch++
  }

  /** To be called before a process starts: publishes the head if that failed last. Throws if it fails again. */
  requirePublished(): void {
    if (!this.#isPublished) this.#write()
  }

  /** To be called with every change of the head that is reported here. */
  onHead(change: HeadChange): void {
    if (change.kind === 'extended') return
    this.#tellReverted(change.to, removedOf(change))
  }

  /** The blocks are gone already, so that nothing here may fail. A process that is not told would never answer again. */
  #tellReverted(to: number | undefined, removed: Removed): void {
    try {
      this.#dependencies.tell({ kind: 'reverted', reverts: this.#reverts, to, removed })
    } catch (error) {
      this.#dependencies.onUnpublished(error)
    }
    this.#owesRevert = false
  }

  /** The block is stored already, so that nothing here may fail for the sake of those who only read. */
  #publish(): void {
    try {
      this.#write()
    } catch (error) {
      this.#isPublished = false
      this.#dependencies.onUnpublished(error)
    }
  }

  #write(): void {
    this.#dependencies.publisher.publish({
      number: this.#number,
      epoch: this.#epoch,
      reverts: this.#reverts,
      isChanging: this.#isChanging,
      isForked: this.#isForked,
    })
    this.#isPublished = true
  }
}

/** Returns the removed logs as texts; undefined if they are too many, or cannot be read. */
const removedOf = ({ removedLogs }: Extract<HeadChange, { kind: 'reverted' }>): Removed => {
  const removed: { readonly number: number; readonly logs: readonly string[] }[] = []
  let bytes = 0
  try {
    for (const { number, logs } of removedLogs()) {
      bytes += logs.reduce((sum, log) => sum + log.length, 0)
      if (bytes > maxRemovedBytes) return undefined
      removed.push({ number, logs: logs.map((log) => Buffer.from(log).toString()) })
    }
  } catch {
    return undefined
  }
  return removed
}
