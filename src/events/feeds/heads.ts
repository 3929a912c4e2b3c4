import type { Notice } from '../../base/notice.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import type { Deliveries } from '../deliveries.ts'
import { toMessage, toNotice } from '../notification.ts'
import { type BlockFeed, Feed, type PastBlock, type TakenBack } from './feed.ts'

/** `newHeads`: each block, with or without its transactions. */
class HeadFeed extends Feed implements BlockFeed {
  readonly #read: (number: number) => Uint8Array | undefined

  constructor(read: (number: number) => Uint8Array | undefined) {
    super()
    this.#read = read
  }

  *past(from: number, to: number): Generator<PastBlock> {
    for (let number = from; number <= to; number++) yield { number, notice: this.noticeOf(number) }
  }

  /** The new head says it all. */
  undone({ to }: TakenBack): Notice {
    return this.noticeOf(to)
  }

  noticeOf(number: number): Notice {
    const json = this.#read(number)
    if (json === undefined) throw new Error(`block ${number} is not kept`)
    return toNotice([toMessage(json)])
  }
}

/** The two feeds of new heads. */
export class HeadFeeds {
  readonly #headers: HeadFeed
  readonly #blocks: HeadFeed
  readonly #deliveries: Deliveries

  constructor(blocks: BlockReader, deliveries: Deliveries) {
    this.#headers = new HeadFeed((number) => blocks.headerJson(number))
    this.#blocks = new HeadFeed((number) => blocks.blockJson(number, true))
    this.#deliveries = deliveries
  }

  feed(includesTransactions: boolean): BlockFeed {
    return includesTransactions ? this.#blocks : this.#headers
  }

  /** The head is this one now, however it came to be. */
  onBlock(number: number): void {
    for (const feed of [this.#headers, this.#blocks]) {
      if (feed.members.size > 0) this.#deliveries.add(feed.members, feed.noticeOf(number))
    }
  }
}
