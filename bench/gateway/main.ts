import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ownPorts, run } from '../../test/support/program.ts'
import { createRpcClient } from '../../test/support/rpc/rpcClient.ts'
import { measureBackfill } from './backfill.ts'
import { type Chain, mnemonic, startEvmd } from './evmd.ts'
import { type Filled, fillChain } from './fill.ts'
import { compareReads, type Read } from './reads.ts'

/**
 * `npm run bench -- gateway`: how fast a gateway takes a chain in, against a replay upstream; and where EVMD names the
 * program of cosmos/evm, or `--json-rpc` and `--node` a chain that runs, its reads beside the chain's own, in one run.
 */
const { values } = parseArgs({
  options: {
    node: { type: 'string' },
    grpc: { type: 'string' },
    'json-rpc': { type: 'string' },
    'empty-blocks': { type: 'string', default: '20000' },
    'full-blocks': { type: 'string', default: '200' },
    'block-transactions': { type: 'string', default: '100' },
    transactions: { type: 'string', default: '400' },
    seconds: { type: 'string', default: '3' },
  },
})

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const hex = (value: number): string => `0x${value.toString(16)}`

const backfills = async (): Promise<void> => {
  const empty = await measureBackfill(Number(values['empty-blocks']), 0)
  const rate = empty.blocks / empty.seconds
  say(
    `backfill of empty blocks: ${rate.toFixed(0)} a second (${empty.blocks} in ${empty.seconds.toFixed(1)} s; target 1,000)`,
  )
  const full = await measureBackfill(Number(values['full-blocks']), Number(values['block-transactions']))
  const speed = full.transactions / full.seconds
  say(
    `backfill of full blocks: ${speed.toFixed(0)} transactions a second ` +
      `(${full.transactions} in ${full.seconds.toFixed(1)} s; target 2,000)`,
  )
}

const readsOf = ({ contract, sender, busiest, head, transaction }: Filled): Read[] => [
  { name: 'full block', target: 10, method: 'eth_getBlockByNumber', params: [hex(busiest), true] },
  { name: 'block receipts', target: 10, method: 'eth_getBlockReceipts', params: [hex(busiest)] },
  {
    name: 'logs of 100 blocks',
    target: 10,
    method: 'eth_getLogs',
    params: [{ address: contract, fromBlock: hex(Math.max(head - 99, 1)), toBlock: hex(head) }],
  },
  { name: 'chain id', target: 5, method: 'eth_chainId', params: [] },
  { name: 'block number', target: 5, method: 'eth_blockNumber', params: [] },
  { name: 'balance at a height', target: 5, method: 'eth_getBalance', params: [sender, hex(head)] },
  { name: 'transaction by hash', target: 5, method: 'eth_getTransactionByHash', params: [transaction] },
  { name: 'receipt', target: 5, method: 'eth_getTransactionReceipt', params: [transaction] },
]

const sideBySide = async ({ node, grpc, jsonRpc }: Omit<Chain, 'stop'>): Promise<void> => {
  const filled = await fillChain(createRpcClient(jsonRpc), mnemonic, Number(values.transactions))
  const home = mkdtempSync(join(tmpdir(), 'perihelion-bench-gateway-'))
  const grpcFlags = grpc === '' ? [] : ['--grpc', grpc]
  const program = run(['gateway', '--node', node, ...grpcFlags, '--json-rpc.rate-limit=0', ...ownPorts(home)])
  try {
    const { http = '' } = await program.ready()
    const client = createRpcClient(http)
    while (Number(await client.call<string>('eth_blockNumber')) < filled.head) await sleep(100)
    say('| read | gateway/s | chain/s | times | target |')
    say('|---|---|---|---|---|')
    for (const { read, ours, theirs } of await compareReads(
      http,
      jsonRpc,
      readsOf(filled),
      Number(values.seconds),
    ))
      say(
        `| ${read.name} | ${ours.toFixed(0)} | ${theirs.toFixed(0)} | ${(ours / theirs).toFixed(1)} | ${read.target} |`,
      )
  } finally {
    program.child.kill('SIGTERM')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  }
}

await backfills()
const { node, grpc = '', 'json-rpc': jsonRpc } = values
const program = process.env.EVMD
if (node !== undefined && jsonRpc !== undefined) await sideBySide({ node, grpc, jsonRpc })
else if (program !== undefined) {
  const chain = await startEvmd(program)
  try {
    await sideBySide(chain)
  } finally {
    await chain.stop()
  }
} else say('reads: not measured, EVMD names no program and --node and --json-rpc no chain')
