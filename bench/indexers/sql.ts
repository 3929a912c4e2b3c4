import { PostgresServer } from '../../test/support/postgres.ts'
import { runProgram } from '../../test/support/program.ts'
import { connect } from '../support/load/connection.ts'
import { locatePeer } from '../support/peers/locate.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import type { Row, Side } from '../support/run/part.ts'
import { watchProcess } from '../support/run/processTree.ts'
import { definePart } from '../support/run/runPart.ts'
import { runPonder } from './ponder.ts'
import type { ServedHome } from './servedHome.ts'
import { perBlock, servedSide } from './servedSide.ts'
import { countRows, pollAndInsert } from './sqlReaders.ts'

/** What was written, and what it took of the process that did it. */
interface Written {
  /** The schema with its tables. */
  readonly schema: string
  readonly cpuMs: number
  /** The most that it had resident. */
  readonly peakMb: number
}

/** Who writes a whole chain into a database that is empty, and how. */
interface Writer {
  readonly served: ServedHome
  write(url: string, traces: boolean): Promise<Written>
}

const follow =
  ({ home }: ServedHome, blocks: number): Writer['write'] =>
  async (url, traces) => {
    const flags = ['--home', home, '--out', url, '--to', String(blocks), ...(traces ? ['--traces'] : [])]
    const program = runProgram(['follow', ...flags], {}, ownProgram())
    const watch = watchProcess(program.child.pid as number) // Node is there
    const code = await program.ended()
    const used = watch.stop()
    if (code !== 0) throw new Error(program.stderr())
    return { schema: 'chain', ...used }
  }

const poll =
  (served: ServedHome, blocks: number): Writer['write'] =>
  async (url, traces) => {
    const connection = await connect(Number(new URL(served.url).port))
    const before = process.cpuUsage()
    await pollAndInsert(connection, url, { blocks, traces })
    connection.close()
    const { user, system } = process.cpuUsage(before)
    const { rss } = process.memoryUsage()
    return { schema: 'public', cpuMs: (user + system) / 1_000, peakMb: rss / 2 ** 20 }
  }

const row = (name: string, traces: boolean): Row<Writer> => ({
  name,
  unit: 'transaction',
  by: 'rate',
  measure: async ({ served, write }) => {
    // A crash of the machine is not what is measured; everything else is the server's default.
    const server = await PostgresServer.start({ settings: ['shared_buffers=128MB'] })
    try {
      const database = watchProcess(server.pid)
      const nodeMs = served.cpuMs()
      const start = performance.now()
      const { schema, cpuMs, peakMb } = await write(server.url(), traces)
      const seconds = (performance.now() - start) / 1000
      const node = served.cpuMs() - nodeMs
      const { cpuMs: databaseMs } = database.stop()
      const { rows, transactions, bytes } = await countRows(server.url(), schema)
      const each = (ms: number): string => ((ms * 1000) / transactions).toFixed(0)
      return {
        figures: {
          rate: transactions / seconds,
          cpuMicros: ((cpuMs + node + databaseMs) * 1000) / transactions,
          rssMb: peakMb,
          bytes: bytes / transactions,
        },
        note:
          `${transactions} transactions in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows a second, indexes among it; ` +
          `CPU µs: ${each(cpuMs)} the writer, ${each(node)} the node, ${each(databaseMs)} the database; ` +
          `memory is the writer's, the node had ${Math.round(served.rssMb())} MB`,
      }
    } finally {
      await server.close()
    }
  },
})

/** Ponder does not write the newest blocks before the chain has so many more. */
const ponderFinality = 30

const ponderSide = (blocks: number): Side<Writer>[] => {
  const ponder = locatePeer('ponder')
  if (ponder === undefined) return []
  const open = (served: ServedHome): Writer => ({
    served,
    write: (url, traces) =>
      runPonder(ponder, { node: served.url, database: url, blocks: blocks - ponderFinality, traces }),
  })
  return [servedSide('ponder', 'peer', blocks, open)]
}

/** `perihelion follow` into PostgreSQL beside a client that polls and inserts in batches, and Ponder where it is here. */
export const part = definePart<Writer>({
  sides: ({ isQuick }) => {
    const blocks = isQuick ? 50 : 2_000
    return [
      servedSide('perihelion', 'ours', blocks, (served) => ({ served, write: follow(served, blocks) })),
      servedSide('a client, block by block', 'floor', blocks, (served) => ({
        served,
        write: poll(served, blocks),
      })),
      ...ponderSide(blocks),
    ]
  },
  rows: () => [
    row(`backfill of blocks of ${perBlock} transfers into PostgreSQL`, false),
    row(`backfill of blocks of ${perBlock} transfers into PostgreSQL with traces`, true),
  ],
})
