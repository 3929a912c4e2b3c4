import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isolatedFlags, type Program, runProgram } from '../../support/program.ts'
import { createRpcClient, type RpcClient, type RpcResponse } from '../../support/rpc/rpcClient.ts'
import { writeRecording } from '../chains/record.ts'
import type { RecordedNode, RecordedPair, RecordedQuery } from '../chains/recordingFile.ts'
import { startRecordingProxy } from '../chains/recordingProxy.ts'
import { type Difference, differences, toComparable } from './differences.ts'
import { explain, explanationsOf, serverOf } from './explanations.ts'
import { generateRequests } from './requests.ts'
import { makeTraffic, type Traffic } from './traffic.ts'

/**
 * `npm run long -- evmd --node http://… --json-rpc http://… [--grpc host:port]`: a gateway in front of a running chain
 * against the chain's own JSON-RPC. The chain must be for this alone: coins of the mnemonic's first account are spent.
 */
const { values } = parseArgs({
  options: {
    node: { type: 'string' },
    'json-rpc': { type: 'string' },
    grpc: { type: 'string' },
    /** For a chain that does not name its release; with `--upgrade`, for the program before it. */
    family: { type: 'string' },
    mnemonic: { type: 'string', default: `${'test '.repeat(11)}junk` },
    rounds: { type: 'string', default: '5' },
    /** The first block to compare. */
    from: { type: 'string', default: '1' },
    report: { type: 'string' },
    /** A file of test/fixtures/chains that is to be written. */
    record: { type: 'string' },
    /** For a chain that knows no transactions of type 4. */
    'no-delegations': { type: 'boolean', default: false },
    burst: { type: 'string', default: '8' },
    /** The height from which on the node is another program: the traffic is made before it, and again when it runs. */
    upgrade: { type: 'string' },
  },
})
const { node, grpc, mnemonic } = values
const jsonRpc = values['json-rpc']
if (node === undefined || jsonRpc === undefined) throw new Error('--node and --json-rpc name the chain')

// Through it all queries are seen, where they are recorded.
const proxy = values.record === undefined ? undefined : await startRecordingProxy(node)
const home = mkdtempSync(join(tmpdir(), 'perihelion-evmd-'))
const startGateway = (family?: string): Program =>
  runProgram([
    'gateway',
    '--node',
    proxy?.url ?? node,
    ...(grpc === undefined ? [] : ['--grpc', grpc]),
    ...(family === undefined ? [] : [`--gateway.family=${family}`]),
    '--json-rpc.api=eth,net,web3,debug,txpool',
    '--json-rpc.rate-limit=0',
    ...isolatedFlags(home),
  ])
let program = startGateway(values.family)

const waitFor = async (client: RpcClient, height: number): Promise<void> => {
  while (Number(await client.call<string>('eth_blockNumber')) < height) await sleep(200)
}

interface WithTracerConfig {
  readonly tracerConfig?: unknown
}

/** What the chain's own server says. One of Ethermint takes the configuration of a tracer as a text alone. */
const askOwn = async (
  theirs: RpcClient,
  method: string,
  params: readonly unknown[],
): Promise<RpcResponse> => {
  const answer = await theirs.send(method, params)
  if (!answer.error?.message.includes('TraceConfig.tracerConfig of type string')) return answer
  const [what, options] = params as readonly [unknown, WithTracerConfig]
  return await theirs.send(method, [what, { ...options, tracerConfig: JSON.stringify(options.tracerConfig) }])
}

const shorten = (value: unknown): string => {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

const openClient = async (): Promise<RpcClient> => createRpcClient((await program.ready()).http ?? '')
const readFamily = (): string => JSON.parse(readFileSync(join(home, 'data/chain-info.json'), 'utf8')).family

const driveTraffic = (gateway: RpcClient): Promise<Traffic> =>
  makeTraffic(gateway, {
    mnemonic,
    rounds: Number(values.rounds),
    delegates: !values['no-delegations'],
    burst: Number(values.burst),
  })

interface Upgrade {
  readonly upgrade: NonNullable<RecordedNode['upgrade']>
  readonly contracts: Readonly<Record<string, string>>
  readonly queries: readonly RecordedQuery[]
  /** What the old program said of the blocks of its traffic. */
  readonly pairs: readonly RecordedPair[]
}

/** Asks the chain's own server about blocks, transactions, receipts and logs, whose answers no later block changes. */
const askAboutBlocks = async (
  ours: RpcClient,
  theirs: RpcClient,
  traffic: Traffic,
): Promise<RecordedPair[]> => {
  const head = Number(await theirs.call<string>('eth_blockNumber')) - 1
  await waitFor(ours, head)
  const pairs: RecordedPair[] = []
  for await (const { method, params } of generateRequests(ours, traffic, Number(values.from), head))
    if (/^eth_get(?:Block|Header|Logs|Transaction(?!Count))/.test(method))
      pairs.push({ method, params, ...(await theirs.send(method, params)), before: true })
  return pairs
}

/** Traffic on the old program of the chain. It is over when the new one runs and the gateway has said so and was started again. */
const crossUpgrade = async (height: number): Promise<Upgrade> => {
  const gateway = await openClient()
  const family = readFamily()
  const traffic = await driveTraffic(gateway)
  const pairs = await askAboutBlocks(gateway, createRpcClient(jsonRpc), traffic)
  const queries = (): RecordedQuery[] => proxy?.takeQueries() ?? []
  await waitFor(gateway, height - 1)
  const old = queries().map((query) => ({ ...query, before: true as const }))
  process.stdout.write(`${family} up to block ${height - 1}: now the new program\n`)
  await waitFor(gateway, height + 1)
  let health = ''
  while (!health.includes('not as this gateway knows it')) {
    await sleep(200)
    health = await (await fetch(`${gateway.url}/health`)).text()
  }
  process.stdout.write(`${readFamily()}: ${health.slice(0, 300)}\n`)
  program.child.kill('SIGTERM')
  await program.ended()
  program = startGateway()
  const named = Object.entries(traffic.contracts).map(([name, address]) => [`${name} before`, address])
  const upgrade = { height, family, ...(values.family === undefined ? {} : { isFamilyTold: true as const }) }
  return { upgrade, contracts: Object.fromEntries(named), queries: old, pairs }
}

const compare = async (): Promise<boolean> => {
  const crossed = values.upgrade === undefined ? undefined : await crossUpgrade(Number(values.upgrade))
  const [ours, theirs] = [await openClient(), createRpcClient(jsonRpc)]
  const family = readFamily()
  await waitFor(ours, Number(await theirs.call<string>('eth_blockNumber')))
  const driven = await driveTraffic(ours)
  const traffic = { ...driven, contracts: { ...crossed?.contracts, ...driven.contracts } }
  const head = Number(await theirs.call<string>('eth_blockNumber'))
  await waitFor(ours, head)
  const first = Number(values.from)
  const explained = new Map<string, number>()
  const unexplained: Difference[] = []
  const methods = new Map<string, number>()
  const pairs: RecordedPair[] = []
  const server = { family, upgrade: crossed?.upgrade }
  const hold = (pair: RecordedPair, mine: RpcResponse): void => {
    const { method, params, before, ...other } = pair
    pairs.push(pair)
    methods.set(method, (methods.get(method) ?? 0) + 1)
    for (const difference of differences({ method, params }, toComparable(mine), toComparable(other))) {
      const title = explain(difference, serverOf(server, before))?.title
      if (title === undefined) unexplained.push(difference)
      else explained.set(title, (explained.get(title) ?? 0) + 1)
    }
  }
  for await (const { method, params } of generateRequests(ours, traffic, first, head)) {
    const [mine, other] = await Promise.all([ours.send(method, params), askOwn(theirs, method, params)])
    hold({ method, params, ...other }, mine)
  }
  for (const pair of crossed?.pairs ?? []) hold(pair, await ours.send(pair.method, pair.params))
  const asked = [...methods.values()].reduce((sum, count) => sum + count, 0)
  const lines = [
    `${asked} questions of ${methods.size} methods over blocks ${first} to ${head} with ${traffic.hashes.length} transactions`,
    ...[...explained].map(([title, count]) => `explained ${count} times: ${title}`),
    ...explanationsOf(serverOf(server))
      .filter(({ title }) => !explained.has(title))
      .map(({ title }) => `not seen: ${title}`),
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
  if (proxy !== undefined && values.record !== undefined) {
    const { contracts, accounts } = traffic
    const upgrade = crossed && { upgrade: crossed.upgrade }
    const told = values.family === undefined || crossed !== undefined ? {} : { isFamilyTold: true as const }
    const queries = [...(crossed?.queries ?? []), ...proxy.takeQueries()]
    const size = await writeRecording(
      {
        url: node,
        file: values.record,
        first,
        last: head + 1,
        node: { family, ...told, ...upgrade, contracts, accounts },
      },
      queries,
      pairs,
    )
    process.stdout.write(`recorded ${queries.length} queries and ${pairs.length} pairs in ${size} bytes\n`)
  }
  return unexplained.length === 0
}

let isEqual = false
try {
  isEqual = await compare()
} finally {
  program.child.kill('SIGTERM')
  await program.ended()
  await proxy?.close()
  rmSync(home, { recursive: true, force: true })
}
process.exit(isEqual ? 0 : 1)
