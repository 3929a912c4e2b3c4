import { parseArgs } from 'node:util'
import { startReplay } from '../../test/gateway/replay/server/server.ts'
import { SyntheticChain } from '../../test/gateway/replay/synthetic.ts'

/** A replay upstream in a process of its own, so that it takes no time from what is measured. */
const { values } = parseArgs({
  options: { blocks: { type: 'string', default: '10000' }, transactions: { type: 'string', default: '0' } },
})
const transactions = Number(values.transactions)
const chain = new SyntheticChain({
  family: 'cosmos-evm-0.7',
  length: Number(values.blocks),
  content: transactions === 0 ? 'empty' : { transactions },
})
chain.built(chain.head)
const replay = await startReplay({ chain })
process.on('SIGTERM', () => void replay.close().then(() => process.exit(0)))
process.stdout.write(`replay ready ${replay.url} ${replay.grpcAddress}\n`)
