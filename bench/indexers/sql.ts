import { rmSync } from 'node:fs'
import { PostgresServer } from '../../test/support/postgres.ts'
import { runProgram } from '../../test/support/program.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import type { Row, Side } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { makeBusyHome } from './busyHome.ts'
import { type ServedHome, serveHome } from './servedHome.ts'
import { countRows, pollAndInsert } from './sqlReaders.ts'

const perBlock = 50

/** Who writes a whole chain into a database that is empty, and how. */
interface Writer {
  readonly served: ServedHome
  /** Returns the schema that it wrote to. */
  write(url: string, traces: boolean): Promise<string>
}

const sideOf = (
  name: string,
  kind: Side<Writer>['kind'],
  blocks: number,
  open: (served: ServedHome) => Writer['write'],
): Side<Writer> => ({
  name,
  kind,
  open: async () => {
    const { folder, home } = await makeBusyHome(blocks, perBlock)
    const served = await serveHome(home)
    return {
      stage: { served, write: open(served) },
      close: async () => {
        await served.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
})

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
      sideOf('perihelion', 'ours', blocks, (served) => follow(served, blocks)),
      sideOf('a client, block by block', 'floor', blocks, (served) => async (url, traces) => {
        await pollAndInsert(served, url, { blocks, traces })
        return 'public'
      }),
    ]
  },
  rows: () => [
    row(`backfill of blocks of ${perBlock} transfers into PostgreSQL`, false),
    row(`backfill of blocks of ${perBlock} transfers into PostgreSQL with traces`, true),
  ],
})
