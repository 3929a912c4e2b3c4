// npm run bench -- throughput: pre-signed transactions by eth_sendRawTransaction until their last receipts are served, for
// this node, geth and anvil, one after the other.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connect } from '../support/connection.ts'
import { type Figure, measure, type Row } from '../support/transactions/measure.ts'
import { createPeers, type Peer, startPeer } from '../support/transactions/peers.ts'
import { kinds, prepare } from '../support/transactions/workload.ts'
import { type PeerResult, toMarkdown, toText } from './report.ts'

const { values: options } = parseArgs({
  options: {
    transactions: { type: 'string', default: '4000,8000' },
    senders: { type: 'string', default: '80' },
    batch: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '2' },
    /** Names of peers; all that are installed. */
    peers: { type: 'string' },
    kinds: { type: 'string', default: kinds.join(',') },
    /** A folder for throughput.json and throughput.md. */
    out: { type: 'string' },
    timeout: { type: 'string', default: '60' },
    /** A folder for CPU profiles of this node. */
    profile: { type: 'string' },
  },
})
const senderCount = Number(options.senders)
const rounds = Number(options.rounds)
const warmUp = { batch: 1, transactions: 25 * senderCount }

const rows: readonly Row[] = kinds
  .filter((kind) => options.kinds.split(',').includes(kind))
  .flatMap((kind) =>
    [1, Number(options.batch)].flatMap((batch) =>
      options.transactions.split(',').map((count) => ({ kind, batch, transactions: Number(count) })),
    ),
  )

const better = (one: Figure | undefined, other: Figure): Figure =>
  one === undefined || other.perSecond > one.perSecond ? other : one

const runPeer = async (peer: Peer): Promise<PeerResult> => {
  const running = await startPeer(peer)
  try {
    const connection = await connect(running.port)
    const workload = await prepare(connection, senderCount)
    connection.close()
    const run = (row: Row): Promise<Figure> => measure(running, workload, row, Number(options.timeout) * 1000)
    for (const kind of kinds) await run({ kind, ...warmUp })
    const best: Figure[] = []
    for (let round = 0; round < rounds; round++)
      for (const [index, row] of rows.entries()) {
        const figure = await run(row)
        console.log(`${peer.name}: ${toText(figure)}`)
        best[index] = better(best[index], figure)
      }
    return { name: peer.name, version: running.version, figures: best }
  } finally {
    await running.stop()
  }
}

const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
const wanted = options.peers?.split(',')
const results: PeerResult[] = []
for (const peer of createPeers(profiling)) {
  if (wanted !== undefined && !wanted.includes(peer.name)) continue
  if (peer.program === undefined) {
    console.log(`${peer.name} is left out: ${peer.missing}`)
    continue
  }
  const result = await runPeer(peer)
  console.log(`${result.name}: ${result.version}`)
  results.push(result)
}
const table = toMarkdown(results)
console.log(`\n${senderCount} senders, best of ${rounds} rounds, end to end:\n\n${table}`)
if (options.out !== undefined) {
  mkdirSync(options.out, { recursive: true })
  writeFileSync(join(options.out, 'throughput.json'), `${JSON.stringify(results, undefined, 2)}\n`)
  writeFileSync(join(options.out, 'throughput.md'), `${table}\n`)
}
