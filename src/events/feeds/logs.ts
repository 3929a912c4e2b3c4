import type { Notification, NotificationParts } from '../../base/notification.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import type { LogPattern, LogReader } from '../../chain/port/logs.ts'
import type { DeliveryQueue } from '../deliveryQueue.ts'
import { toNotification, toSubscriptionMessage } from '../ethSubscription.ts'
import { type BackfillItem, type BlockFeed, Feed, type HeadRevert } from './feed.ts'
import { matches, type PatternKeys, parseLogKeys, patternId, toPatternKeys } from './logKeys.ts'

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

  *backfill(from: number, to: number): Generator<BackfillItem> {
    for (const { number, logs } of this.#source.logs.search(this.#pattern, from, to)) {
      yield {
        number,
        notification: logs.length === 0 ? undefined : toNotification(logs.map(toSubscriptionMessage)),
      }
    }
  }

  revertNotification(
    { removedLogs }: HeadRevert,
    wasSent: (number: number) => boolean,
  ): Notification | undefined {
    const messages = removedLogs()
      .filter(({ number }) => wasSent(number))
      .flatMap(({ logs }) => logs.filter((log) => matches(this.keys, parseLogKeys(log))))
      .map(toSubscriptionMessage)
    return messages.length === 0 ? undefined : toNotification(messages)
  }
}

const everything: LogPattern = { addresses: [], topics: [] }

/**
 * All subscriptions to logs. The logs of a new block are read once, and the patterns that can match a log are looked up
 * by its address or its first topic, so that the number of other patterns does not matter.
 */
export class LogFeeds {
  readonly #source: LogSource
  readonly #deliveries: DeliveryQueue
  readonly #feeds = new Map<string, LogFeed>()
  readonly #byAddress = new Map<string, Set<LogFeed>>()
  /** The feeds without an address, by their first topics. */
  readonly #byTopic = new Map<string, Set<LogFeed>>()
  readonly #others = new Set<LogFeed>()

  constructor(source: LogSource, deliveries: DeliveryQueue) {
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
    const { map, keys: indexKeys } = this.#indexEntriesOf(feed)
    if (map === undefined) this.#others.add(feed)
    for (const key of indexKeys) map?.set(key, (map.get(key) ?? new Set()).add(feed))
    return feed
  }

  onBlock(number: number): void {
    if (this.#feeds.size === 0) return
    const { blocks, logs } = this.#source
    if (blocks.header(number)?.logsBloom.every((byte) => byte === 0)) return
    const found = new Map<LogFeed, NotificationParts[]>()
    for (const block of logs.search(everything, number, number)) {
      for (const log of block.logs) this.#find(log, found)
    }
    for (const [feed, messages] of found) this.#deliveries.add(feed.members, toNotification(messages))
  }

  onRevert(change: HeadRevert): void {
    for (const feed of this.#feeds.values()) {
      if (feed.members.size === 0) continue
      const notification = feed.revertNotification(change, () => true)
      if (notification !== undefined) this.#deliveries.add(feed.members, notification)
    }
  }

  #find(log: Uint8Array, found: Map<LogFeed, NotificationParts[]>): void {
    const keys = parseLogKeys(log)
    const candidates = [
      this.#byAddress.get(keys.address),
      this.#byTopic.get(keys.topics[0] ?? ''),
      this.#others,
    ]
    let message: NotificationParts | undefined
    for (const feeds of candidates) {
      for (const feed of feeds ?? []) {
        if (feed.members.size === 0 || !matches(feed.keys, keys)) continue
        message ??= toSubscriptionMessage(log)
        const messages = found.get(feed)
        if (messages === undefined) found.set(feed, [message])
        else messages.push(message)
      }
    }
  }

  #indexEntriesOf({ keys }: LogFeed): { map: Map<string, Set<LogFeed>> | undefined; keys: Iterable<string> } {
    if (keys.addresses.size > 0) return { map: this.#byAddress, keys: keys.addresses }
    const [first] = keys.topics
    if (first !== undefined && first.size > 0) return { map: this.#byTopic, keys: first }
    return { map: undefined, keys: [] }
  }

  #drop(id: string, feed: LogFeed): void {
    this.#feeds.delete(id)
    this.#others.delete(feed)
    const { map, keys } = this.#indexEntriesOf(feed)
    for (const key of keys) {
      const feeds = map?.get(key)
      feeds?.delete(feed)
      if (feeds?.size === 0) map?.delete(key)
    }
  }
}
