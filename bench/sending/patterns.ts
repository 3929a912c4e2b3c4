import type { Kind } from '../support/transactions/workload.ts'

/** How clients send: so many of them, each with one request under way and so many transactions in it. */
export interface Pattern {
  readonly name: string
  readonly kind: Kind
  readonly clients: number
  readonly batch: number
  /** Whether a client asks for the receipt of its last transaction before it sends again, until it gets it. */
  readonly asksReceipt: boolean
  /** How many of a phase's transactions are sent: those that wait one by one take long. */
  readonly share: number
}

/** What a node has done before: a row for each, one after the other on one node. */
export interface Phase {
  readonly name: string
  readonly transactions: number
  /** Whether the phases before count too. */
  readonly isFromStart: boolean
}

const phaseList = [
  { name: 'first 1,000', transactions: 1_000, isFromStart: true },
  { name: 'first 4,000', transactions: 3_000, isFromStart: true },
  { name: 'warm 16,000', transactions: 16_000, isFromStart: false },
] as const satisfies readonly Phase[]

export const phasesOf = (isQuick: boolean): readonly Phase[] =>
  isQuick ? phaseList.slice(0, 2).map((phase) => ({ ...phase, transactions: 200 })) : phaseList

const ways = [
  { how: 'batches of 100', clients: 1, batch: 100 },
  { how: '20 clients', clients: 20, batch: 1 },
  { how: '80 clients', clients: 80, batch: 1 },
  { how: 'one client', clients: 1, batch: 1 },
  { how: 'batches of 10', clients: 1, batch: 10 },
  { how: 'batches of 1,000', clients: 1, batch: 1_000 },
] as const

export const patternsOf = (isQuick: boolean): readonly Pattern[] =>
  (isQuick ? (['transfer'] as const) : (['transfer', 'erc20'] as const)).flatMap((kind) =>
    ways.slice(0, isQuick ? 2 : undefined).flatMap(({ how, clients, batch }): Pattern[] => {
      const share = clients * batch === 1 ? 1 / 16 : 1
      const pattern = { name: `${kind}, ${how}`, kind, clients, batch, share, asksReceipt: false }
      const asking = { ...pattern, name: `${pattern.name}, each with its receipt`, asksReceipt: true }
      // Peers that answer before a transaction is in a block have more to do then.
      const isAskedToo = batch === 100 || clients === 20 || share < 1
      return isAskedToo && !isQuick ? [pattern, asking] : [pattern]
    }),
  )
