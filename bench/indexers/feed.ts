import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../test/support/program.ts'
import { call } from '../support/load/connection.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import type { Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import type { ServedHome } from './servedHome.ts'
import { perBlock, servedSide } from './servedSide.ts'

/** Who reads a whole chain, and how. */
interface Reader {
  readonly blocks: number
  /** Reads all blocks, transactions, receipts and logs; with the frames of the calls if they are wanted. */
  read(traces: boolean): Promise<{ readonly bytes: number }>
}

const tag = (number: number): string => `0x${number.toString(16)}`

const follow =
  ({ home }: ServedHome, folder: string, blocks: number): Reader['read'] =>
  async (traces) => {
    const out = mkdtempSync(join(folder, 'feed-'))
    const flags = ['--home', home, '--out', out, '--to', String(blocks), ...(traces ? ['--traces'] : [])]
    const program = runProgram(['follow', ...flags], {}, ownProgram())
    if ((await program.ended()) !== 0) throw new Error(program.stderr())
    const bytes = readdirSync(out).reduce((sum, file) => sum + statSync(join(out, file)).size, 0)
    rmSync(out, { recursive: true })
    return { bytes }
  }

/** A client as most pipelines have it: one call after the other over one connection. */
const askBlockByBlock =
  ({ connection }: ServedHome, blocks: number): Reader['read'] =>
  async (traces) => {
    let bytes = 0
    const ask = async (method: string, ...params: readonly unknown[]): Promise<void> => {
      bytes += JSON.stringify(await call(connection, method, ...params)).length
    }
    for (let number = 0; number <= blocks; number++) {
      await ask('eth_getBlockByNumber', tag(number), true)
      await ask('eth_getBlockReceipts', tag(number))
      if (traces && number > 0) await ask('debug_traceBlockByNumber', tag(number), { tracer: 'callTracer' })
    }
    return { bytes }
  }

const row = (name: string, traces: boolean): Row<Reader> => ({
  name,
  unit: 'block',
  by: 'rate',
  measure: async ({ blocks, read }) => {
    const start = performance.now()
    const { bytes } = await read(traces)
    const seconds = (performance.now() - start) / 1000
    return { figures: { rate: blocks / seconds }, note: `${(bytes / seconds / 1e6).toFixed(1)} MB/s` }
  },
})

/** `perihelion follow` beside a client that asks block by block. */
export const part = definePart<Reader>({
  sides: ({ isQuick }) => {
    const blocks = isQuick ? 50 : 2_000
    return [
      servedSide('perihelion', 'ours', blocks, (served, folder) => ({
        blocks,
        read: follow(served, folder, blocks),
      })),
      servedSide('a client, block by block', 'floor', blocks, (served) => ({
        blocks,
        read: askBlockByBlock(served, blocks),
      })),
    ]
  },
  rows: () => [
    row(`feed of blocks of ${perBlock} transfers`, false),
    row(`feed of blocks of ${perBlock} transfers with traces`, true),
  ],
})
