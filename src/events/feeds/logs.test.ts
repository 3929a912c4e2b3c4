import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import type { Notification } from '../../base/notification.ts'
import type { Header } from '../../chain/block/header.ts'
import { DeliveryQueue } from '../deliveryQueue.ts'
import { Subscription } from '../subscription.ts'
import { parseLogKeys, patternId, toPatternKeys } from './logKeys.ts'
import { LogFeeds } from './logs.ts'

const addressOf = (seed: number): Uint8Array => new Uint8Array(20).fill(seed)
const topicOf = (seed: number): Uint8Array => new Uint8Array(32).fill(seed)
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`

interface Log {
  readonly address: number
  readonly topics: readonly number[]
}
interface Pattern {
  readonly addresses: readonly number[]
  readonly topics: readonly (readonly number[])[]
}

const seed = fc.integer({ min: 1, max: 3 })
const log: fc.Arbitrary<Log> = fc.record({ address: seed, topics: fc.array(seed, { maxLength: 4 }) })
const pattern: fc.Arbitrary<Pattern> = fc.record({
  addresses: fc.array(seed, { maxLength: 2 }),
  topics: fc.array(fc.array(seed, { maxLength: 2 }), { maxLength: 4 }),
})

/** The specification, word for word. */
const isWanted = ({ addresses, topics }: Pattern, { address, topics: own }: Log): boolean => {
  if (addresses.length > 0 && !addresses.includes(address)) return false
  if (topics.length > own.length) return false
  return topics.every(
    (choices, position) => choices.length === 0 || choices.includes(own[position] as number),
  )
}

const jsonOf = ({ address, topics }: Log, index: number): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      address: hex(addressOf(address)),
      topics: topics.map((topic) => hex(topicOf(topic))),
      index,
    }),
  )

test('each subscription gets the logs that its pattern matches, in order', () => {
  fc.assert(
    fc.property(fc.array(log, { maxLength: 12 }), fc.array(pattern, { maxLength: 12 }), (logs, patterns) => {
      const rows = logs.map(jsonOf)
      const chain = fakeChain({
        blocks: { header: () => ({ logsBloom: Uint8Array.of(1) }) as Header },
        logs: { search: () => [{ number: 1, count: rows.length, text: new Uint8Array(), logs: rows }] },
      })
      const deliveries = new DeliveryQueue()
      const added: { members: ReadonlySet<Subscription>; notification: Notification }[] = []
      deliveries.add = (members, notification) => void added.push({ members, notification })
      const feeds = new LogFeeds(chain, deliveries)
      const members = patterns.map(({ addresses, topics }) => {
        const feed = feeds.feed({
          addresses: addresses.map(addressOf),
          topics: topics.map((choices) => choices.map(topicOf)),
        })
        const member = new Subscription({} as never, 0)
        feed.retain()
        feed.members.add(member)
        return { member, feed }
      })
      feeds.onBlock(1)
      for (const [index, { member }] of members.entries()) {
        const wanted = logs.flatMap((one, at) => (isWanted(patterns[index] as Pattern, one) ? [at] : []))
        const told = added
          .filter((delivery) => delivery.members.has(member))
          .flatMap(({ notification }) => indexesIn(notification))
        expect(told).toEqual(wanted)
      }
      for (const { member, feed } of members) feed.release(member)
      added.length = 0
      feeds.onBlock(1)
      expect(added).toEqual([])
    }),
    { numRuns: 500 },
  )
})

const indexesIn = (notification: Notification): number[] => {
  let text = ''
  const stream = { writableLength: 0, write: (bytes: Uint8Array) => (text += Buffer.from(bytes)) }
  const framing = { open: () => new Uint8Array(), close: Buffer.from('\n') }
  notification.framedBy(framing).writeTo(stream as never, new Uint8Array(34), () => {})
  return [...text.matchAll(/"index":(\d+)/g)].map(([, index]) => Number(index))
}

test('patterns that name the same in another order are one', () => {
  const id = (addresses: number[], topics: number[][]): string =>
    patternId(
      toPatternKeys({ addresses: addresses.map(addressOf), topics: topics.map((t) => t.map(topicOf)) }),
    )
  expect(id([1, 2], [[3, 1]])).toBe(id([2, 1, 2], [[1, 3]]))
  expect(id([1], [])).not.toBe(id([], [[1]]))
  expect(id([1], [[]])).not.toBe(id([1], []))
  expect(id([], [[1], []])).not.toBe(id([], [[], [1]]))
})

test('JSON of anything but a log is rejected', () => {
  expect(() => parseLogKeys(Buffer.from('{"data":"0x"}'))).toThrow('not the JSON of a log')
})
