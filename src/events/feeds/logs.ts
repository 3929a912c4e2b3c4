import type { Message, Notice } from '../../base/notice.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import type { LogPattern, LogReader } from '../../chain/port/logs.ts'
import type { Deliveries } from '../deliveries.ts'
import { toMessage, toNotice } from '../notification.ts'
import { type BlockFeed, Feed, type PastBlock, type TakenBack } from './feed.ts'
import { matches, type PatternKeys, patternId, readLogKeys, toPatternKeys } from './logKeys.ts'

export interface LogSource {
  readonly blocks: BlockReader
  readonly logs: LogReader
}

/** Subscriptions to logs with the same pattern. */
class LogFeed extends Feed implements BlockFeed {
  readonly keys: PatternKeys
  readonly #pattern: LogPattern
  readonly #source: LogSource
  readonly #drop: () => void

  constructor(pattern: LogPattern, keys: PatternKeys, source: LogSource, drop: () => void) {
    super()
    this.#pattern = pattern
    this.keys = keys
    this.#source = source
    this.#drop = drop
  }

  protected override onEmpty(): void {
    this.#drop()
  }

  *past(from: number, to: number): Generator<PastBlock> {
    for (const { number, logs } of this.#source.logs.search(this.#pattern, from, to)) {
      yield { number, notice: logs.length === 0 ? undefined : toNotice(logs.map(toMessage)) }
    }
  }

  undone({ removedLogs }: TakenBack, isTold: (number: number) => boolean): Notice | undefined {
    const messages = removedLogs()
      .filter(({ number }) => isTold(number))
      .flatMap(({ logs }) => logs.filter((log) => matches(this.keys, readLogKeys(log))))
      .map(toMessage)
    return messages.length === 0 ? undefined : toNotice(messages)
  }
}

const everything: LogPattern = { addresses: [], topics: [] }

/**
 * All subscriptions to logs. A new block's logs are read once; each finds the patterns that can match it by its address
 * or its first topic, however many others there are.
 */
export class LogFeeds {
  readonly #source: LogSource
  readonly #deliveries: Deliveries
  readonly #feeds = new Map<string, LogFeed>()
  readonly #byAddress = new Map<string, Set<LogFeed>>()
  /** Those of any address. */
  readonly #byTopic = new Map<string, Set<LogFeed>>()
  readonly #others = new Set<LogFeed>()

  constructor(source: LogSource, deliveries: Deliveries) {
    this.#source = source
    this.#deliveries = deliveries
  }

  feed(pattern: LogPattern): BlockFeed {
    const keys = toPatternKeys(pattern)
    const id = patternId(keys)
    const known = this.#feeds.get(id)
    if (known !== undefined) return known
    const feed = new LogFeed(pattern, keys, this.#source, () => this.#drop(id, feed))
    this.#feeds.set(id, feed)
    const { map, keys: places } = this.#placesOf(feed)
    if (map === undefined) this.#others.add(feed)
    for (const key of places) map?.set(key, (map.get(key) ?? new Set()).add(feed))
    return feed
  }

  onBlock(number: number): void {
    if (this.#feeds.size === 0) return
    const { blocks, logs } = this.#source
    if (blocks.header(number)?.logsBloom.every((byte) => byte === 0)) return
    const found = new Map<LogFeed, Message[]>()
    for (const block of logs.search(everything, number, number)) {
      for (const log of block.logs) this.#find(log, found)
    }
    for (const [feed, messages] of found) this.#deliveries.add(feed.members, toNotice(messages))
  }

  onTakenBack(change: TakenBack): void {
    for (const feed of this.#feeds.values()) {
      if (feed.members.size === 0) continue
      const notice = feed.undone(change, () => true)
      if (notice !== undefined) this.#deliveries.add(feed.members, notice)
    }
  }

  #find(log: Uint8Array, found: Map<LogFeed, Message[]>): void {
    const keys = readLogKeys(log)
    const candidates = [
      this.#byAddress.get(keys.address),
      this.#byTopic.get(keys.topics[0] ?? ''),
      this.#others,
    ]
    let message: Message | undefined
    for (const feeds of candidates) {
      for (const feed of feeds ?? []) {
        if (feed.members.size === 0 || !matches(feed.keys, keys)) continue
        message ??= toMessage(log)
        const messages = found.get(feed)
        if (messages === undefined) found.set(feed, [message])
        else messages.push(message)
      }
    }
  }

  #placesOf({ keys }: LogFeed): { map: Map<string, Set<LogFeed>> | undefined; keys: Iterable<string> } {
    if (keys.addresses.size > 0) return { map: this.#byAddress, keys: keys.addresses }
    const [first] = keys.topics
    if (first !== undefined && first.size > 0) return { map: this.#byTopic, keys: first }
    return { map: undefined, keys: [] }
  }

  #drop(id: string, feed: LogFeed): void {
    this.#feeds.delete(id)
    this.#others.delete(feed)
    const { map, keys } = this.#placesOf(feed)
    for (const key of keys) {
      const feeds = map?.get(key)
      feeds?.delete(feed)
      if (feeds?.size === 0) map?.delete(key)
    }
  }
}
