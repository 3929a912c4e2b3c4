import { RawClient } from '../answers/subscribers/rawClient.ts'

/** A process of subscribers of a gateway, half to heads and half to logs. It answers each message. */
export type SubscriberCommand =
  | {
      readonly kind: 'open'
      readonly port: number
      readonly count: number
      /** Filters of logs; subscribers take them in turn. */
      readonly filters: readonly object[]
    }
  | { readonly kind: 'report' }

export interface SubscriberReport {
  readonly heads: number
  readonly logs: number
  /** Heads that did not follow the one before, and connections that the server closed. */
  readonly faults: number
  /** Subscribers that have heard of the newest head, and its number. */
  readonly informed: number
  readonly newest: number
}

const numberMark = Buffer.from('"number":"')
const topicsMark = Buffer.from('"topics"')
const quote = 0x22
const parallel = 32

let heads = 0
let logs = 0
let faults = 0
let newest = 0
let informed = 0

const hearHead = (message: Buffer, last: number): number => {
  const start = message.indexOf(numberMark) + numberMark.length
  const number = Number(message.toString('latin1', start, message.indexOf(quote, start)))
  if (last !== 0 && number !== last + 1) faults++
  if (number > newest) {
    newest = number
    informed = 0
  }
  if (number === newest) informed++
  heads++
  return number
}

const openOne = async (port: number, params: readonly unknown[]): Promise<void> => {
  let isSubscribed = false
  let last = 0
  const hear = (message: Buffer): void => {
    // The response is short, notifications are not.
    if (message.length < 200) isSubscribed = true
    else if (message.includes(topicsMark)) logs++
    else last = hearHead(message, last)
  }
  const client = await RawClient.open(port, hear, () => {
    faults++
    isSubscribed = true // nothing more is to be waited for
  })
  client.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
  while (!isSubscribed) await new Promise((resolve) => setTimeout(resolve, 5))
}

const open = async ({ port, count, filters }: Extract<SubscriberCommand, { kind: 'open' }>) => {
  const jobs = Array.from({ length: count }, (_, at) =>
    at % 2 === 0 ? ['newHeads'] : ['logs', filters[((at - 1) / 2) % filters.length]],
  )
  const work = async (): Promise<void> => {
    for (let params = jobs.pop(); params !== undefined; params = jobs.pop()) await openOne(port, params)
  }
  await Promise.all(Array.from({ length: parallel }, work))
}

process.on('message', async (command: SubscriberCommand) => {
  if (command.kind === 'open') await open(command)
  process.send?.({ heads, logs, faults, informed, newest } satisfies SubscriberReport)
})
process.on('disconnect', () => process.exit())
