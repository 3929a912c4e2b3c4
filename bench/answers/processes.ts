import type { RunOptions, Side } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { createSide, openStage } from './chainSide.ts'
import { Requests } from './requestLoad.ts'
import { requestRows } from './requests.ts'
import type { AnswersStage } from './stage.ts'

const counts = [0, 1, 2, 4]
const quickCounts = [0, 2]

const names = ['eth_blockNumber', 'eth_getBalance', 'eth_getTransactionCount', 'receipt', 'full block']

const createOwnSide = (count: number, options: RunOptions): Side<AnswersStage> => ({
  name: `perihelion, ${count} processes`,
  kind: 'ours',
  open: () => openStage('perihelion', options, { flags: [`--json-rpc.workers=${count}`] }),
})

/** The same reads with none and with several serving processes; the CPU is that of all of them together. */
export const part = definePart<AnswersStage>({
  sides: (options) => [
    ...(options.isQuick ? quickCounts : counts).map((count) => createOwnSide(count, options)),
    ...options.peers.map((name) => createSide(name, options)),
  ],
  rows: ({ seconds }) => {
    const requests = new Requests(seconds)
    return requestRows
      .filter(({ name }) => names.includes(name))
      .map((row) => requests.toRow({ ...row, connections: [16, 64] }))
  },
})
