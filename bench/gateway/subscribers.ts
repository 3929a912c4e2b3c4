import { setTimeout as sleep } from 'node:timers/promises'
import { ownSide } from '../support/run/inProcess.ts'
import type { Measured, Row, RunOptions } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { type RunningGateway, startGateway } from './runningGateway.ts'
import { SubscriberClients } from './subscriberClients.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const transactions = 50
const firstHeight = 4
const warmUpBlocks = 3

interface Case {
  readonly gateways: number
  readonly subscribers: number
}

const sizesOf = ({ isQuick }: RunOptions): { readonly cases: readonly Case[]; readonly blocks: number } => {
  const [few, most, many] = isQuick ? [200, 300, 400] : [10_000, 18_000, 36_000]
  const cases = [1, 2, 3].map((gateways) => ({ gateways, subscribers: few }))
  return {
    cases: [...cases, { gateways: 1, subscribers: most }, { gateways: 3, subscribers: many }],
    blocks: isQuick ? 3 : 10,
  }
}

interface Costs {
  readonly totalMs: number
  readonly mainMs: number
  readonly mb: number
}

/** CPU of all gateways for a block, while one comes each second, and what they have resident. */
const measureBlocks = async (
  upstream: Upstream,
  gateways: readonly RunningGateway[],
  blocks: number,
): Promise<Costs> => {
  const sum = (of: (gateway: RunningGateway) => number): number =>
    gateways.reduce((total, gateway) => total + of(gateway), 0)
  const [gateway] = gateways as [RunningGateway]
  const first = await gateway.height()
  const [total, main] = [sum((one) => one.cpuMs()), sum((one) => one.mainCpuMs())]
  for (let at = 1; at <= blocks; at++) {
    upstream.tell({ grow: 1 })
    await Promise.all([...gateways.map((one) => one.reach(first + at)), sleep(1_000)])
  }
  return {
    totalMs: (sum((one) => one.cpuMs()) - total) / blocks,
    mainMs: (sum((one) => one.mainCpuMs()) - main) / blocks,
    mb: sum((one) => one.rssMb()),
  }
}

const measure = async ({ gateways: count, subscribers }: Case, blocks: number): Promise<Measured> => {
  const upstream = await startUpstream({
    ...{ transactions, authors: transactions, first: firstHeight },
    blocks: firstHeight + warmUpBlocks + 2 * blocks,
  })
  const gateways = await Promise.all(
    Array.from({ length: count }, () =>
      startGateway([
        ...upstream.flags,
        '--json-rpc.rate-limit=0',
        `--json-rpc.max-open-connections=${subscribers + 100}`,
      ]),
    ),
  )
  const clients = new SubscriberClients()
  try {
    for (const gateway of gateways) await gateway.reach(firstHeight)
    await measureBlocks(upstream, gateways, warmUpBlocks)
    const idle = await measureBlocks(upstream, gateways, blocks)
    await clients.open(gateways, subscribers)
    const before = await clients.report()
    const busy = await measureBlocks(upstream, gateways, blocks)
    await sleep(1_000) // the last block is heard of
    const after = await clients.report()
    const heard = (after.heads + after.logs - before.heads - before.logs) / blocks
    const each = (ms: number): number => (ms * 1_000) / heard
    return {
      figures: {
        cpuMs: busy.totalMs,
        cpuMicros: each(busy.totalMs - idle.totalMs),
        rssMb: busy.mb,
        bytes: ((busy.mb - idle.mb) * 2 ** 20) / subscribers,
      },
      note:
        `CPU µs are those of a delivery, ${Math.round(heard)} of them with each block, ${each(busy.mainMs - idle.mainMs).toFixed(1)} in the event loop; ` +
        `bytes are those of a subscriber; a block without subscribers takes ${idle.totalMs.toFixed(0)} ms, ${idle.mainMs.toFixed(0)} in the event loop; ` +
        `${after.faults} gaps or lost connections`,
    }
  } finally {
    clients.close()
    for (const gateway of gateways) await gateway.stop()
    await upstream.stop()
  }
}

/** What a subscriber costs where gateways share them. */
export const part = definePart<undefined>({
  sides: () => [ownSide(() => undefined)],
  rows: (options): readonly Row<undefined>[] => {
    const { cases, blocks } = sizesOf(options)
    return cases.map((one) => ({
      name: `${one.subscribers.toLocaleString('en')} subscribers of ${one.gateways} gateway${one.gateways === 1 ? '' : 's'}`,
      unit: 'delivery',
      by: 'cpuMicros' as const,
      isOnce: true,
      measure: () => measure(one, blocks),
    }))
  },
})
