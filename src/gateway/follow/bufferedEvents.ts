import type { NativeBlock } from '../../comet/data/nativeBlock.ts'
import type { NewBlock } from '../../comet/data/parseNewBlock.ts'
import { blockBytes } from './aheadBudget.ts'

/** The most that is buffered of events; a consumer that is further behind requests the blocks instead. */
const maxEvents = 64
const maxBytes = 16 * 1024 * 1024

interface BufferedEvent extends NewBlock {
  /** The length of its text in bytes, and what its transactions take beside it. */
  readonly bytes: number
}

/** New blocks that nobody has taken yet. The oldest are dropped for newer ones. */
export class BufferedEvents {
  readonly #events = new Map<number, BufferedEvent>()
  #bytes = 0

  /** Adds an event with the length of its text. Returns its height. */
  add(found: NewBlock, textBytes: number): number {
    const { height } = found.block.header
    const bytes = textBytes + blockBytes(found.block)
    this.take(height)
    this.#events.set(height, { ...found, bytes })
    this.#bytes += bytes
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= maxEvents && this.#bytes <= maxBytes) break
      this.take(oldest)
    }
    return height
  }

  /** Removes an event and returns it. */
  take(height: number): NewBlock | undefined {
    const event = this.#events.get(height)
    if (event === undefined) return undefined
    this.#events.delete(height)
    this.#bytes -= event.bytes
    return event
  }

  /** Removes the events below a height and returns their blocks. */
  takeBelow(below: number): readonly NativeBlock[] {
    const old = [...this.#events.values()].filter(({ block }) => block.header.height < below)
    for (const { block } of old) this.take(block.header.height)
    return old.map(({ block }) => block)
  }

  clear(): void {
    this.#events.clear()
    this.#bytes = 0
  }
}
