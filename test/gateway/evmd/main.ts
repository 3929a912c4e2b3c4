import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ownPorts, run } from '../../support/program.ts'
import { createRpcClient, type RpcClient } from '../../support/rpc/rpcClient.ts'
import { type Difference, differences, told } from './differences.ts'
import { explain, explanations } from './explanations.ts'
import { questions } from './questions.ts'
import { makeTraffic } from './traffic.ts'

/**
 * `npm run long -- evmd --node http://… --json-rpc http://… [--grpc host:port]`: a gateway in front of a running chain
 * against the chain's own JSON-RPC. The chain must be for this alone: coins of the mnemonic's first account are spent.
 */
const { values } = parseArgs({
  options: {
    node: { type: 'string' },
    'json-rpc': { type: 'string' },
    grpc: { type: 'string' },
    mnemonic: { type: 'string', default: `${'test '.repeat(11)}junk` },
    rounds: { type: 'string', default: '5' },
    /** The first block to compare. */
    from: { type: 'string', default: '1' },
    report: { type: 'string' },
  },
})
const { node, grpc, mnemonic } = values
const jsonRpc = values['json-rpc']
if (node === undefined || jsonRpc === undefined) throw new Error('--node and --json-rpc name the chain')

const home = mkdtempSync(join(tmpdir(), 'perihelion-evmd-'))
const program = run([
  'gateway',
  '--node',
  node,
  ...(grpc === undefined ? [] : ['--grpc', grpc]),
  '--json-rpc.api=eth,net,web3,debug,txpool',
  '--json-rpc.rate-limit=0',
  ...ownPorts(home),
])

const waitFor = async (client: RpcClient, height: number): Promise<void> => {
  while (Number(await client.call<string>('eth_blockNumber')) < height) await sleep(200)
}

const shorten = (value: unknown): string => {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

const compare = async (): Promise<boolean> => {
  const { http = '' } = await program.ready()
  const [ours, theirs] = [createRpcClient(http), createRpcClient(jsonRpc)]
  await waitFor(ours, Number(await theirs.call<string>('eth_blockNumber')))
  const traffic = await makeTraffic(ours, mnemonic, Number(values.rounds))
  const head = Number(await theirs.call<string>('eth_blockNumber'))
  await waitFor(ours, head)
  const first = Number(values.from)
  const explained = new Map<string, number>()
  const unexplained: Difference[] = []
  const methods = new Map<string, number>()
  for await (const question of questions(ours, traffic, first, head)) {
    const { method, params } = question
    methods.set(method, (methods.get(method) ?? 0) + 1)
    const [mine, other] = await Promise.all([ours.send(method, params), theirs.send(method, params)])
    for (const difference of differences(question, told(mine), told(other))) {
      const title = explain(difference)?.title
      if (title === undefined) unexplained.push(difference)
      else explained.set(title, (explained.get(title) ?? 0) + 1)
    }
  }
  const asked = [...methods.values()].reduce((sum, count) => sum + count, 0)
  const lines = [
    `${asked} questions of ${methods.size} methods over blocks ${first} to ${head} with ${traffic.hashes.length} transactions`,
    ...[...explained].map(([title, count]) => `explained ${count} times: ${title}`),
    ...explanations.filter(({ title }) => !explained.has(title)).map(({ title }) => `not seen: ${title}`),
    ...unexplained.map(
      ({ method, params, at, ours: mine, theirs: other }) =>
        `UNEXPLAINED ${method} ${shorten(params)} ${at}: ours ${shorten(mine)}, theirs ${shorten(other)}`,
    ),
    unexplained.length === 0
      ? 'every difference is explained'
      : `${unexplained.length} differences are not explained`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  if (values.report !== undefined) writeFileSync(values.report, `${lines.join('\n')}\n`)
  return unexplained.length === 0
}

let isEqual = false
try {
  isEqual = await compare()
} finally {
  program.child.kill('SIGTERM')
  await program.ended()
  rmSync(home, { recursive: true, force: true })
}
process.exit(isEqual ? 0 : 1)
