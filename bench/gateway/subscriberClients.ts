import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { askClients, startClients } from '../answers/subscribers/clientProcess.ts'
import type { RunningGateway } from './runningGateway.ts'
import type { SubscriberCommand, SubscriberReport } from './subscriberProcess.ts'

const file = fileURLToPath(new URL('subscriberProcess.ts', import.meta.url))

interface FullBlock {
  readonly transactions: readonly { readonly from: string }[]
}

const toTopic = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2)}`

/** Filters of the logs of one sender each, of those that are in the newest block. */
const filtersOf = async ({ client }: RunningGateway): Promise<object[]> => {
  const { transactions } = await client.call<FullBlock>('eth_getBlockByNumber', 'latest', true)
  const senders = new Set(transactions.map(({ from }) => from))
  return [...senders].map((sender) => ({ topics: [null, toTopic(sender)] }))
}

/** Subscribers of gateways, half to heads and half to logs, in processes of their own. */
export class SubscriberClients {
  readonly #processes: readonly ChildProcess[]

  constructor(processes = 2) {
    this.#processes = Array.from({ length: processes }, () => startClients(file))
  }

  /** Opens so many at the gateways, each of which gets its share. */
  async open(gateways: readonly RunningGateway[], count: number): Promise<void> {
    const filters = await filtersOf(gateways[0] as RunningGateway) // there is one
    const share = Math.round(count / gateways.length / this.#processes.length)
    for (const { port } of gateways)
      await Promise.all(
        this.#processes.map((child) =>
          askClients(child, { kind: 'open', port, count: share, filters } satisfies SubscriberCommand),
        ),
      )
  }

  /** What all of them have heard until now. */
  async report(): Promise<SubscriberReport> {
    const all = await Promise.all(
      this.#processes.map((child) => askClients<SubscriberReport>(child, { kind: 'report' })),
    )
    const sum = (of: (one: SubscriberReport) => number): number =>
      all.reduce((total, one) => total + of(one), 0)
    return {
      heads: sum(({ heads }) => heads),
      logs: sum(({ logs }) => logs),
      faults: sum(({ faults }) => faults),
      informed: sum(({ informed }) => informed),
      newest: Math.max(...all.map(({ newest }) => newest)),
    }
  }

  close(): void {
    for (const child of this.#processes) child.disconnect()
  }
}
