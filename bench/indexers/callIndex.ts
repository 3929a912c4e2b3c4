import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../src/base/encoding/hex.ts'
import { ownSide } from '../support/run/inProcess.ts'
import type { RunOptions } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { type BusyHome, makeBusyHome } from './busyHome.ts'
import { indexBytes, serveHome, waitForIndex } from './servedHome.ts'

/** Nobody's address: a search for it looks at the index alone. */
const nobody = toHex(new Uint8Array(20).fill(0x5a))

/** The transfers of a block. Making a chain of full blocks takes most of the time, and a quick run needs 1,000 blocks. */
const transfersPerBlock = ({ isQuick }: RunOptions): number => (isQuick ? 2 : 50)

/** What `index.calls` costs where every block is full of transfers. */
export const part = definePart<BusyHome>({
  sides: (options) => [
    ownSide(
      () => makeBusyHome(options.isQuick ? 1_100 : 5_000, transfersPerBlock(options)),
      ({ folder }) => rmSync(folder, { recursive: true }),
    ),
  ],
  rows: (options) => [
    {
      name: `index of blocks of ${transfersPerBlock(options)} transfers`,
      unit: 'block',
      by: 'rate',
      measure: async ({ home, blocks, perBlock }) => {
        rmSync(join(home, 'data', 'calls.mdb'), { force: true })
        rmSync(join(home, 'data', 'calls.mdb-lock'), { force: true })
        const start = performance.now()
        const served = await serveHome(home, '--index.calls')
        await waitForIndex(served, nobody)
        const seconds = (performance.now() - start) / 1000
        const cpuMs = served.cpuMs()
        await served.close()
        const bytes = indexBytes(home)
        return {
          figures: { rate: blocks / seconds, cpuMicros: (cpuMs * 1000) / blocks, bytes: bytes / blocks },
          note: `${(bytes / blocks / perBlock).toFixed(1)} bytes a transfer; from the start of the node on`,
        }
      },
    },
  ],
})
