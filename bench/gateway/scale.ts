import { setTimeout as sleep } from 'node:timers/promises'
import { LoadDriver } from '../support/load/drive.ts'
import type { Measured, Row, RunOptions } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { type RunningGateway, startGateway } from './runningGateway.ts'
import { SubscriberClients } from './subscriberClients.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const firstHeight = 4
/** Blocks that are taken in before anything is measured, so that the program is warm. */
const warmUpBlocks = 5

interface Sizes {
  readonly transactions: number
  readonly subscribers: number
  readonly readsPerSecond: number
  /** For how many blocks, a second each, each row is measured. */
  readonly rounds: number
}

const sizesOf = ({ isQuick }: RunOptions): Sizes =>
  isQuick
    ? { transactions: 50, subscribers: 200, readsPerSecond: 500, rounds: 2 }
    : { transactions: 500, subscribers: 10_000, readsPerSecond: 5_000, rounds: 8 }

interface ScaleStage {
  readonly sizes: Sizes
  readonly upstream: Upstream
  readonly gateway: RunningGateway
  readonly clients: SubscriberClients
  readonly driver: LoadDriver
  /** CPU milliseconds of a second in which nothing is asked, as the first row finds them. */
  following: { total: number; main: number }
  /** The same with the subscribers. */
  delivering: { total: number; main: number }
}

interface FullBlock {
  readonly transactions: readonly { readonly hash: string; readonly from: string; readonly to: string }[]
}

const hex = (value: number): string => `0x${value.toString(16)}`
const toTopic = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2)}`

const openStage = async (options: RunOptions): Promise<ScaleStage> => {
  const sizes = sizesOf(options)
  const { transactions, rounds } = sizes
  // As many senders as transactions, so that whoever watches one of them gets a log with each block, more or less.
  const upstream = await startUpstream({
    blocks: firstHeight + warmUpBlocks + 3 * (rounds + 4),
    transactions,
    authors: transactions,
    first: firstHeight,
  })
  const gateway = await startGateway([...upstream.flags, '--json-rpc.rate-limit=0'])
  await gateway.reach(firstHeight)
  for (let height = firstHeight + 1; height <= firstHeight + warmUpBlocks; height++) {
    upstream.tell({ grow: 1 })
    await gateway.reach(height)
  }
  return {
    ...{ sizes, upstream, gateway },
    clients: new SubscriberClients(),
    driver: new LoadDriver(),
    following: { total: 0, main: 0 },
    delivering: { total: 0, main: 0 },
  }
}

const closeStage = async ({ clients, driver, gateway, upstream }: ScaleStage): Promise<void> => {
  driver.close()
  clients.close()
  await gateway.stop()
  await upstream.stop()
}

/** CPU milliseconds a block, while a block comes each second; the blocks are those that the gateway has taken. */
const perBlock = async ({ upstream, gateway, sizes }: ScaleStage, work: () => Promise<void>) => {
  const first = await gateway.height()
  upstream.tell({ beatMs: 1_000 })
  await gateway.reach(first + 1)
  const [from, cpu, main] = [await gateway.height(), gateway.cpuMs(), gateway.mainCpuMs()]
  const reached = gateway.reach(from + sizes.rounds)
  await Promise.all([reached, work()])
  const [to, cpuAfter, mainAfter] = [await gateway.height(), gateway.cpuMs(), gateway.mainCpuMs()]
  upstream.tell({ beatMs: 0 })
  await sleep(1_500) // what the last beat made is taken in too
  const blocks = to - from
  return { blocks, total: (cpuAfter - cpu) / blocks, main: (mainAfter - main) / blocks }
}

const percent = (msPerSecond: number): string => `${(msPerSecond / 10).toFixed(0)} %`

const share = ({ total, main }: { readonly total: number; readonly main: number }): string =>
  `${percent(total)} of a core in all threads, ${percent(main)} in the one that answers`

const measureFollowing = async (stage: ScaleStage): Promise<Measured> => {
  const { gateway, sizes } = stage
  stage.following = await perBlock(stage, () => Promise.resolve())
  const { total } = stage.following
  return {
    figures: { cpuMs: total, cpuMicros: (total * 1_000) / sizes.transactions, rssMb: gateway.rssMb() },
    note: `${share(stage.following)}; CPU µs are those of a transaction`,
  }
}

const measureDelivering = async (stage: ScaleStage): Promise<Measured> => {
  const { gateway, clients, sizes, following } = stage
  const idleMb = gateway.rssMb()
  await clients.open([gateway], sizes.subscribers)
  const before = await clients.report()
  stage.delivering = await perBlock(stage, () => Promise.resolve())
  const after = await clients.report()
  const deliveries = after.heads + after.logs - before.heads - before.logs
  // `perBlock` begins after one block more than it counts, and ends before what the last beat made.
  const blocks = (after.heads - before.heads) / (sizes.subscribers / 2)
  const cpuMicros = ((stage.delivering.total - following.total) * 1_000 * blocks) / deliveries
  const missed = after.informed === sizes.subscribers / 2 ? 'all' : `${after.informed} of the subscribers`
  return {
    figures: { cpuMs: stage.delivering.total, cpuMicros, rssMb: gateway.rssMb() },
    note:
      `${share(stage.delivering)}; CPU µs are those of a delivery, ${Math.round(deliveries / blocks)} of them with each block; ` +
      `${missed} heard of the newest head, ${after.faults} gaps or lost connections; ${Math.round(gateway.rssMb() - idleMb)} MB more`,
  }
}

/** Requests as clients of a wallet and of an indexer make them, about what the newest blocks hold. */
const drawBodies = async ({ gateway }: ScaleStage): Promise<string[]> => {
  const number = await gateway.height()
  const { transactions } = await gateway.client.call<FullBlock>('eth_getBlockByNumber', hex(number), true)
  return transactions.slice(0, 200).flatMap(({ hash, from, to }, at) => {
    const calls: readonly (readonly [string, ...unknown[]])[] = [
      ['eth_blockNumber'],
      ['eth_getTransactionReceipt', hash],
      ['eth_getTransactionByHash', hash],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_chainId'],
      ['eth_getBalance', from, 'latest'],
      ['eth_gasPrice'],
      ['eth_getLogs', { fromBlock: hex(number), toBlock: hex(number), topics: [null, toTopic(from)] }],
      ['eth_call', { to, data: '0x' }, 'latest'],
      ['eth_getTransactionReceipt', hash],
    ]
    return calls.map(([method, ...params]) => JSON.stringify({ jsonrpc: '2.0', id: at, method, params }))
  })
}

const measureReading = async (stage: ScaleStage): Promise<Measured> => {
  const { gateway, clients, driver, sizes, delivering } = stage
  const file = driver.prepare(await drawBodies(stage))
  const order = { port: gateway.port, file, connections: 64, rate: sizes.readsPerSecond }
  const warm = await driver.warmUp({ ...order, seconds: 0.5 })
  let result = warm
  const before = await clients.report()
  const reading = await perBlock(stage, async () => {
    result = await driver.drive({ ...order, seconds: sizes.rounds }, warm)
  })
  const { faults } = await clients.report()
  const { requests, errors, p50Ms, p99Ms } = result
  const rate = requests / result.seconds
  const cpuMicros = ((reading.total - delivering.total) * 1_000 * reading.blocks) / requests
  // A machine that has other work too may send fewer: what is missing is added by what one costs.
  const missing = Math.max(0, sizes.readsPerSecond - requests / reading.blocks) * (cpuMicros / 1_000)
  const whole = { total: reading.total + missing, main: reading.main + missing }
  return {
    figures: { rate, cpuMs: whole.total, cpuMicros, p50Ms, p99Ms, rssMb: gateway.rssMb() },
    note:
      `${share(whole)} at ${sizes.readsPerSecond.toLocaleString('en')} reads a second; CPU µs are those of a read; ` +
      `${errors} rejected or wrong, ${faults - before.faults} gaps or lost connections`,
  }
}

/** One replica that follows busy blocks while it has many subscribers and answers reads: what each of them costs. */
export const part = definePart<ScaleStage>({
  sides: (options) => [
    {
      name: 'perihelion',
      kind: 'ours',
      open: async () => {
        const stage = await openStage(options)
        return { stage, close: () => closeStage(stage) }
      },
    },
  ],
  rows: (options): readonly Row<ScaleStage>[] => {
    const { transactions, subscribers, readsPerSecond } = sizesOf(options)
    // Each builds on the one before it, so that none is measured again.
    const row = { unit: 'block', by: 'cpuMs', isOnce: true } as const
    return [
      { ...row, name: `a block of ${transactions} transactions each second`, measure: measureFollowing },
      {
        ...row,
        name: `and ${subscribers.toLocaleString('en')} subscribers to heads and logs`,
        measure: measureDelivering,
      },
      {
        ...row,
        name: `and ${readsPerSecond.toLocaleString('en')} reads a second`,
        measure: measureReading,
      },
    ]
  },
})
