import { freePort } from '../../test/support/freePort.ts'
import { hasPostgres, PostgresServer } from '../../test/support/postgres.ts'
import { LoadDriver } from '../support/load/drive.ts'
import { ownSide } from '../support/run/inProcess.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { type RunningGateway, startGateway } from './runningGateway.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const blocks = 30
const transactions = 20
const connections = 16
const counts = [1, 2, 3] as const

interface ReplicasStage {
  readonly upstream: Upstream
  /** What a fleet shares; undefined where there is no PostgreSQL. */
  readonly database: PostgresServer | undefined
  readonly driver: LoadDriver
}

interface FullBlock {
  readonly transactions: readonly { readonly hash: string; readonly from: string }[]
}

type Calls = readonly (readonly [method: string, ...params: readonly unknown[]])[]

/** What each replica answers by itself. */
const ownCalls = ({ transactions: found }: FullBlock): Calls =>
  found.flatMap(({ hash }) => [
    ['eth_blockNumber'],
    ['eth_getTransactionReceipt', hash],
    ['eth_getTransactionByHash', hash],
    ['eth_getBlockByNumber', 'latest', false],
  ])

/** What replicas ask each other for: filters, which one of them keeps, and what may wait at any of them. */
const sharedCalls = ({ transactions: found }: FullBlock, filters: readonly string[]): Calls =>
  found.flatMap(({ from }, at) => [
    ['eth_getFilterChanges', filters[at % filters.length]],
    ['eth_getTransactionCount', from, 'pending'],
  ])

/** How gateways share: they ask each other, or have a database. */
type Sharing = 'replica' | 'fleet'

const startGateways = async (
  { upstream, database }: ReplicasStage,
  count: number,
  sharing: Sharing,
): Promise<RunningGateway[]> => {
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()))
  const peers = ports.map((port, index) => `${index + 1}=http://127.0.0.1:${port}`).join(',')
  const gateways = await Promise.all(
    ports.map((port, index) => {
      const own =
        sharing === 'fleet'
          ? [`--gateway.database=${database?.url()}`]
          : [
              ...[`--gateway.replica=${index + 1}`, `--gateway.peers=${peers}`],
              '--gateway.peer-token=the secret of this bench',
            ]
      const flags = [...own, '--json-rpc.rate-limit=0']
      return startGateway([...upstream.flags, ...flags], { port })
    }),
  )
  for (const gateway of gateways) await gateway.reach(blocks)
  return gateways
}

/** The same load on each of the replicas in turn; the CPU is that of all of them. */
const measure = async (
  stage: ReplicasStage,
  {
    count,
    isShared,
    sharing,
    seconds,
  }: {
    readonly count: number
    readonly isShared: boolean
    readonly sharing: Sharing
    readonly seconds: number
  },
): Promise<Measured> => {
  const gateways = await startGateways(stage, count, sharing)
  const cpuMs = (): number => gateways.reduce((sum, gateway) => sum + gateway.cpuMs(), 0)
  try {
    const [gateway] = gateways as [RunningGateway]
    const block = await gateway.client.call<FullBlock>('eth_getBlockByNumber', 'latest', true)
    const filters: string[] = []
    for (let at = 0; at < transactions; at++)
      filters.push(await (gateways[at % count] as RunningGateway).client.call<string>('eth_newBlockFilter'))
    const calls = isShared ? sharedCalls(block, filters) : ownCalls(block)
    const file = stage.driver.prepare(
      calls.map(([method, ...params]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
    )
    let [requests, errors, cpu, spent] = [0, 0, 0, 0]
    for (const { port } of gateways) {
      const order = { port, file, connections, seconds: seconds / count }
      const warm = await stage.driver.warmUp(order)
      const before = cpuMs()
      const result = await stage.driver.drive(order, warm)
      cpu += cpuMs() - before
      requests += result.requests
      spent += result.seconds
      errors += result.errors
    }
    return {
      figures: { rate: requests / spent, cpuMicros: (cpu * 1_000) / requests },
      ...(errors > 0 ? { note: `${errors} errors`, isVoid: true } : {}),
    }
  } finally {
    for (const gateway of gateways) await gateway.stop()
  }
}

const nameOf = (isShared: boolean, sharing: Sharing, count: number): string => {
  const what = isShared ? 'filters and pending nonces' : 'reads'
  if (sharing === 'fleet') return `${what} in a fleet of ${count}`
  return `${what} at ${count} ${count === 1 ? 'replica' : 'replicas'}`
}

/** What a request costs where several replicas share the work: they ask each other for some of it. */
export const part = definePart<ReplicasStage>({
  sides: () => [
    ownSide(
      async () => ({
        upstream: await startUpstream({ blocks, transactions }),
        database: hasPostgres ? await PostgresServer.start({ settings: ['fsync=on'] }) : undefined,
        driver: new LoadDriver(),
      }),
      async ({ upstream, database, driver }) => {
        driver.close()
        await upstream.stop()
        await database?.close()
      },
    ),
  ],
  rows: ({ seconds }): readonly Row<ReplicasStage>[] =>
    [
      ...[false, true].map((isShared) => ({ isShared, sharing: 'replica' as const })),
      ...(hasPostgres ? [{ isShared: true, sharing: 'fleet' as const }] : []),
    ].flatMap(({ isShared, sharing }) =>
      counts.map((count) => ({
        name: nameOf(isShared, sharing, count),
        unit: 'request',
        by: 'cpuMicros' as const,
        measure: (stage) => measure(stage, { count, isShared, sharing, seconds }),
      })),
    ),
})
