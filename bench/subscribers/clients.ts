import { RawClient } from './rawClient.ts'

/**
 * A process full of subscribers. It is told what to do by messages, and answers each.
 */
export type Order =
  | {
      readonly kind: 'open'
      readonly port: number
      readonly live: number
      /** How many that never read are to hear each topic of floods. */
      readonly neglecting: number
      readonly floodTopics: readonly string[]
      readonly tickTopic: string
    }
  /** Where the live ones are. */
  | { readonly kind: 'progress' }
  | { readonly kind: 'report'; readonly commits: readonly (readonly [number: number, at: number])[] }

export interface Progress {
  /** The lowest of the last blocks that the live ones heard of. */
  readonly lowest: number
}

export interface Report {
  readonly live: number
  readonly events: number
  readonly ticks: number
  /** Blocks or ticks that did not follow the one before. */
  readonly faults: readonly string[]
  /** Live ones that the server closed. */
  readonly closed: number
  /** Milliseconds from the commit, sorted. */
  readonly latencies: readonly number[]
}

const now = (): number => Number(process.hrtime.bigint()) / 1e6

const call = (id: number, options: unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: options })

const numberMark = Buffer.from('"number":"')
const topicsMark = Buffer.from('"topics"')
const dataMark = Buffer.from('"data":"')
const quote = 0x22
const idStart = '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"'.length

const readHex = (message: Buffer, mark: Buffer): number => {
  const start = message.indexOf(mark) + mark.length
  return Number(message.toString('latin1', start, message.indexOf(quote, start)))
}

interface Live {
  client: RawClient | undefined
  readonly ids: Set<string>
  lastBlock: number
  lastTick: number
}

const live: Live[] = []
const neglecting: RawClient[] = []
const arrivals: { readonly number: number; readonly at: number }[] = []
const faults: string[] = []
let ticks = 0
let closed = 0

/** Answers are short, notifications are not; those of logs have topics. */
const hear = (one: Live, message: Buffer): void => {
  if (message.length < 200) {
    one.ids.add((JSON.parse(message.toString()) as { result: string }).result)
    return
  }
  const at = now()
  const id = message.toString('latin1', idStart, idStart + 34)
  if (!one.ids.has(id)) faults.push(`a message for ${id}`)
  if (message.includes(topicsMark)) {
    const tick = readHex(message, dataMark)
    if (one.lastTick !== 0 && tick !== one.lastTick + 1) faults.push(`tick ${tick} after ${one.lastTick}`)
    one.lastTick = tick
    ticks++
    return
  }
  const number = readHex(message, numberMark)
  if (one.lastBlock !== 0 && number !== one.lastBlock + 1)
    faults.push(`block ${number} after ${one.lastBlock}`)
  one.lastBlock = number
  arrivals.push({ number, at })
}

const openLive = async (port: number, tickTopic: string | undefined): Promise<void> => {
  const one: Live = { client: undefined, ids: new Set(), lastBlock: 0, lastTick: 0 }
  live.push(one)
  one.client = await RawClient.open(
    port,
    (message) => hear(one, message),
    () => closed++,
  )
  one.client.send(call(1, ['newHeads']))
  if (tickTopic !== undefined) one.client.send(call(2, ['logs', { topics: [tickTopic] }]))
  const wanted = tickTopic === undefined ? 1 : 2
  while (one.ids.size < wanted) await new Promise((resolve) => setTimeout(resolve, 5))
}

const openNeglecting = async (port: number, topic: string): Promise<void> => {
  let answers = 0
  const client = await RawClient.open(
    port,
    () => answers++,
    () => {},
  )
  neglecting.push(client)
  client.send(call(1, ['newHeads']))
  client.send(call(2, ['logs', { topics: [topic] }]))
  while (answers < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  client.neglect()
}

/** Every tenth hears ticks too. */
const open = async (order: Extract<Order, { kind: 'open' }>): Promise<void> => {
  const jobs = [
    ...Array.from(
      { length: order.live },
      (_, index) => () => openLive(order.port, index % 10 === 0 ? order.tickTopic : undefined),
    ),
    ...order.floodTopics.flatMap((topic) =>
      Array.from({ length: order.neglecting }, () => () => openNeglecting(order.port, topic)),
    ),
  ]
  const work = async (): Promise<void> => {
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await job()
  }
  await Promise.all(Array.from({ length: 64 }, work))
}

const report = (commits: ReadonlyMap<number, number>): Report => ({
  live: live.length,
  events: arrivals.length,
  ticks,
  faults: faults.slice(0, 10),
  closed,
  latencies: arrivals
    .flatMap(({ number, at }) => {
      const committed = commits.get(number)
      return committed === undefined ? [] : [Math.round((at - committed) * 100) / 100]
    })
    .sort((a, b) => a - b),
})

process.on('message', async (order: Order) => {
  switch (order.kind) {
    case 'open':
      await open(order)
      process.send?.('opened')
      break
    case 'progress':
      process.send?.({ lowest: live.reduce((low, { lastBlock }) => Math.min(low, lastBlock), Infinity) })
      break
    case 'report':
      process.send?.(report(new Map(order.commits)))
      break
  }
})
process.on('disconnect', () => process.exit())
