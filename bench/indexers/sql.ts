import { PostgresServer } from '../../test/support/postgres.ts'
import { runProgram } from '../../test/support/program.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import type { Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import type { ServedHome } from './servedHome.ts'
import { perBlock, servedSide } from './servedSide.ts'
import { countRows, pollAndInsert } from './sqlReaders.ts'

/** Who writes a whole chain into a database that is empty, and how. */
interface Writer {
  readonly served: ServedHome
  /** Returns the schema that it wrote to. */
  write(url: string, traces: boolean): Promise<string>
}

const follow =
  ({ home }: ServedHome, blocks: number): Writer['write'] =>
  async (url, traces) => {
    const flags = ['--home', home, '--out', url, '--to', String(blocks), ...(traces ? ['--traces'] : [])]
    const program = runProgram(['follow', ...flags], {}, ownProgram())
    if ((await program.ended()) !== 0) throw new Error(program.stderr())
    return 'chain'
  }

const row = (name: string, traces: boolean): Row<Writer> => ({
  name,
  unit: 'row',
  by: 'rate',
  measure: async ({ served, write }) => {
    // A crash of the machine is not what is measured; everything else is the server's default.
    const server = await PostgresServer.start({ settings: ['shared_buffers=128MB'] })
    try {
      const cpuMs = served.cpuMs()
      const start = performance.now()
      const schema = await write(server.url(), traces)
      const seconds = (performance.now() - start) / 1000
      const nodeMs = served.cpuMs() - cpuMs
      const { rows, bytes } = await countRows(server.url(), schema)
      return {
        figures: { rate: rows / seconds, cpuMicros: (nodeMs * 1000) / rows, bytes: bytes / rows },
        note: `${rows} rows in ${seconds.toFixed(1)} s, indexes among it; CPU is the node's`,
      }
    } finally {
      await server.close()
    }
  },
})

/** `perihelion follow` into PostgreSQL beside a client that polls and inserts in batches. */
export const part = definePart<Writer>({
  sides: ({ isQuick }) => {
    const blocks = isQuick ? 50 : 2_000
    return [
      servedSide('perihelion', 'ours', blocks, (served) => ({ served, write: follow(served, blocks) })),
      servedSide('a client, block by block', 'floor', blocks, (served) => ({
        served,
        write: async (url, traces) => {
          await pollAndInsert(served, url, { blocks, traces })
          return 'public'
        },
      })),
    ]
  },
  rows: () => [
    row(`backfill of blocks of ${perBlock} transfers into PostgreSQL`, false),
    row(`backfill of blocks of ${perBlock} transfers into PostgreSQL with traces`, true),
  ],
})
