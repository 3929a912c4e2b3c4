import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from '../support/median.ts'
import { askOnce, type Load, openLoad } from './load.ts'
import { type MeasuredServer, startMeasured } from './measuredServer.ts'

/**
 * What a call costs beside HTTP itself: CPU time per request of the built program answering `web3_clientVersion`
 * (parse, validate, dispatch, encode, and the metrics about it) against a bare node:http server that reads the body
 * and answers the same bytes. Both run in processes of their own under the same load, in turns.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    requests: { type: 'string', default: '40000' },
    connections: { type: 'string', default: '16' },
    profile: { type: 'boolean', default: false },
  },
})
const rounds = Number(options.rounds)
const requests = Number(options.requests)
const connections = Number(options.connections)
const targetMicroseconds = 10

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const call = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[]}'

interface Side {
  readonly name: string
  readonly server: MeasuredServer
  readonly load: Load
  readonly costs: number[]
}

const open = async (name: string, server: MeasuredServer): Promise<Side> => {
  const load = await openLoad(server.port, call, connections)
  await load.run(requests) // the compiler's round, not counted
  return { name, server, load, costs: [] }
}

const measure = async ({ server, load }: Side): Promise<number> => {
  const before = await server.cpuTime()
  await load.run(requests)
  return ((await server.cpuTime()) - before) / requests
}

const home = mkdtempSync(join(tmpdir(), 'perihelion-bench-'))
try {
  const flags = ['--home', home, '--json-rpc.address=127.0.0.1:0', '--json-rpc.ws-address=']
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${path('../../profiles')}`] : []
  const ours = await startMeasured(path('../../dist/cli/main.js'), ['start', ...flags], profiling)
  const bare = await startMeasured(path('bareServer.mjs'), [await askOnce(ours.port, call)])
  const sides = [await open('bare node:http', bare), await open('perihelion', ours)] as const
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) side.costs.push(await measure(side))
  }
  console.log(`CPU µs per request: ${connections} connections, ${rounds} rounds of ${requests} requests`)
  console.log(`${'server'.padEnd(16)}${['min', 'median', 'max'].map((name) => name.padStart(9)).join('')}`)
  for (const { name, costs } of sides) {
    const figures = [Math.min(...costs), median(costs), Math.max(...costs)]
    console.log(name.padEnd(16) + figures.map((figure) => figure.toFixed(1).padStart(9)).join(''))
  }
  const difference = median(sides[1].costs) - median(sides[0].costs)
  const floor = Math.min(...sides[1].costs) - Math.min(...sides[0].costs)
  console.log(`difference of the medians ${difference.toFixed(1)} µs, of the minima ${floor.toFixed(1)} µs`)
  console.log(
    `target: at most ${targetMicroseconds} µs: ${difference <= targetMicroseconds ? 'met' : 'MISSED'}`,
  )
  for (const { server, load } of sides) {
    load.close()
    await server.stop()
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
