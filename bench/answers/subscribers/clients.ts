import { RawClient } from './rawClient.ts'

/** A process full of subscribers. It is told what to do by messages, and answers each. */
export type ClientCommand =
  | {
      readonly kind: 'open'
      readonly port: number
      readonly live: number
      /** How many subscribe and never read. */
      readonly neglecting: number
      readonly topic: string
    }
  | { readonly kind: 'report'; readonly tick: number }
  | { readonly kind: 'close' }

export interface Report {
  /** How many live ones have heard of the tick, and when the last of them did, in milliseconds of the machine's clock. */
  readonly ticked: number
  readonly lastTickAt: number
  /** The same for the block that has it. */
  readonly informed: number
  readonly lastHeadAt: number
  /** Blocks or ticks that did not follow the one before. */
  readonly faults: number
  /** Live ones that the server closed. */
  readonly closed: number
}

const now = (): number => Number(process.hrtime.bigint()) / 1e6

const call = (id: number, options: unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: options })

const numberMark = Buffer.from('"number":"')
const blockNumberMark = Buffer.from('"blockNumber":"')
const topicsMark = Buffer.from('"topics"')
const dataMark = Buffer.from('"data":"')
const quote = 0x22

const readHex = (message: Buffer, mark: Buffer): number => {
  const start = message.indexOf(mark) + mark.length
  return Number(message.toString('latin1', start, message.indexOf(quote, start)))
}

interface Live {
  client: RawClient | undefined
  answers: number
  lastBlock: number
  lastTick: number
}

interface Arrivals {
  count: number
  lastAt: number
}

let live: Live[] = []
let neglecting: RawClient[] = []
let faults = 0
let closed = 0
const heads = new Map<number, Arrivals>()
const ticks = new Map<number, Arrivals & { block: number }>()

const note = <T extends Arrivals>(arrivals: Map<number, T>, key: number, first: () => T): void => {
  const one = arrivals.get(key) ?? first()
  one.count++
  one.lastAt = now()
  arrivals.set(key, one)
}

/** Answers are short, notifications are not; those of logs have topics. */
const hear = (one: Live, message: Buffer): void => {
  if (message.length < 200) {
    one.answers++
    return
  }
  if (message.includes(topicsMark)) {
    const tick = readHex(message, dataMark)
    if (one.lastTick !== 0 && tick !== one.lastTick + 1) faults++
    one.lastTick = tick
    note(ticks, tick, () => ({ count: 0, lastAt: 0, block: readHex(message, blockNumberMark) }))
    return
  }
  const number = readHex(message, numberMark)
  if (one.lastBlock !== 0 && number !== one.lastBlock + 1) faults++
  one.lastBlock = number
  note(heads, number, () => ({ count: 0, lastAt: 0 }))
}

const openLive = async (port: number, topic: string): Promise<void> => {
  const one: Live = { client: undefined, answers: 0, lastBlock: 0, lastTick: 0 }
  live.push(one)
  one.client = await RawClient.open(
    port,
    (message) => hear(one, message),
    () => closed++,
  )
  one.client.send(call(1, ['newHeads']))
  one.client.send(call(2, ['logs', { topics: [topic] }]))
  while (one.answers < 2) await new Promise((resolve) => setTimeout(resolve, 5))
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
  client.stopReading()
}

const open = async (order: Extract<ClientCommand, { kind: 'open' }>): Promise<void> => {
  const jobs = [
    ...Array.from({ length: order.live }, () => () => openLive(order.port, order.topic)),
    ...Array.from({ length: order.neglecting }, () => () => openNeglecting(order.port, order.topic)),
  ]
  const work = async (): Promise<void> => {
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await job()
  }
  await Promise.all(Array.from({ length: 32 }, work))
}

const report = (tick: number): Report => {
  const heard = ticks.get(tick)
  const head = heard === undefined ? undefined : heads.get(heard.block)
  return {
    ticked: heard?.count ?? 0,
    lastTickAt: heard?.lastAt ?? 0,
    informed: head?.count ?? 0,
    lastHeadAt: head?.lastAt ?? 0,
    ...{ faults, closed },
  }
}

const close = (): void => {
  for (const { client } of live) client?.close()
  for (const client of neglecting) client.close()
  live = []
  neglecting = []
  faults = 0
  closed = 0
  heads.clear()
  ticks.clear()
}

process.on('message', async (order: ClientCommand) => {
  if (order.kind === 'open') {
    await open(order)
    process.send?.('opened')
  } else if (order.kind === 'report') process.send?.(report(order.tick))
  else {
    close()
    process.send?.('closed')
  }
})
process.on('disconnect', () => process.exit())
