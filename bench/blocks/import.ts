import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../../test/support/program.ts'
import { makeChainFiles } from '../support/chain/chainFiles.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import { ownSide } from '../support/run/inProcess.ts'
import { endedChildrenCpuMs } from '../support/run/processTree.ts'
import { definePart } from '../support/run/runPart.ts'

interface ImportStage {
  readonly folder: string
  readonly files: { readonly genesis: string; readonly chain: string }
  readonly blocks: number
}

const perBlock = 50
const gasOfTransfer = 21_000

/** `perihelion import` of a chain of transfers. */
export const part = definePart<ImportStage>({
  sides: ({ isQuick }) => [
    ownSide(
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-import-'))
        const blocks = isQuick ? 20 : 1_000
        return { folder, blocks, files: await makeChainFiles({ blocks, perBlock, folder }) }
      },
      ({ folder }) => rmSync(folder, { recursive: true }),
    ),
  ],
  rows: () => [
    {
      name: `import of blocks of ${perBlock} transfers`,
      unit: 'block',
      by: 'rate',
      measure: async ({ folder, files, blocks }) => {
        const home = mkdtempSync(join(folder, 'home-'))
        const cpu = endedChildrenCpuMs()
        const start = performance.now()
        const program = runProgram(
          ['import', '--genesis', files.genesis, files.chain, '--home', home],
          {},
          ownProgram(),
        )
        if ((await program.ended()) !== 0) throw new Error(program.stderr())
        const seconds = (performance.now() - start) / 1000
        rmSync(home, { recursive: true })
        return {
          figures: {
            rate: blocks / seconds,
            mgas: (blocks * perBlock * gasOfTransfer) / seconds / 1e6,
            cpuMicros: ((endedChildrenCpuMs() - cpu) * 1000) / blocks,
          },
        }
      },
    },
  ],
})
