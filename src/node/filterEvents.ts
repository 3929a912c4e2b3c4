import type { Events, HeadChange } from '../chain/events.ts'
import type { BlockReader } from '../store/blockReader.ts'

type Pending = Parameters<Events['onPending']>[0]

export interface FilterEventsDependencies {
  readonly onPending: (listener: Pending) => () => void
  readonly blocks: BlockReader
}

/** What filters have to hear of: transactions of the pool, and blocks that are gone. */
export class FilterEvents implements Pick<Events, 'onHead' | 'onPending'> {
  readonly #dependencies: FilterEventsDependencies
  readonly #listeners = new Set<(change: HeadChange) => void>()

  constructor(dependencies: FilterEventsDependencies) {
    this.#dependencies = dependencies
  }

  onHead(listener: (change: HeadChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onPending(listener: Pending): () => void {
    return this.#dependencies.onPending(listener)
  }

  /** Reads what will be gone; what it gives tells that it is. */
  takeBack(head: number, to: number): () => void {
    if (to >= head) return () => {}
    const everything = { addresses: [], topics: [] }
    const removed = [...this.#dependencies.blocks.logs.run(everything, to + 1, head)]
      .reverse()
      .map(({ number, logs }) => ({ number, logs: logs.map(asRemoved) }))
    return () => {
      for (const listener of this.#listeners) listener({ kind: 'taken back', to, removedLogs: () => removed })
    }
  }
}

const asRemoved = (log: Uint8Array): Uint8Array => {
  const members = JSON.parse(Buffer.from(log).toString()) as object // as the store wrote it
  return Buffer.from(JSON.stringify({ ...members, removed: true }))
}
