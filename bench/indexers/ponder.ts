import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../src/base/encoding/hex.ts'
import { freePort } from '../../test/support/freePort.ts'
import { createTransfers } from '../support/chain/chainFiles.ts'
import type { Located } from '../support/peers/locate.ts'
import { chainId } from '../support/peers/program.ts'
import { watchProcess } from '../support/run/processTree.ts'

export interface PonderOptions {
  /** The URL of the node. */
  readonly node: string
  /** The URL of the database. */
  readonly database: string
  /** The last block. */
  readonly blocks: number
  readonly traces: boolean
}

const schema = 'ponder'
const pollMs = 50
const modules = 'node_modules'

/** A project that writes each block and each transaction with its receipt, as rows of the columns that are asked for most. */
const filesOf = ({ node, database, blocks, traces }: PonderOptions): Readonly<Record<string, string>> => {
  const range = `network: 'chain', startBlock: 0, endBlock: ${blocks}`
  const senders = JSON.stringify(createTransfers().addresses.map(toHex))
  return {
    'package.json': '{"type":"module"}',
    'ponder.config.ts': `
import { createConfig } from 'ponder'
import { http } from 'viem'
export default createConfig({
  database: { kind: 'postgres', connectionString: '${database}' },
  networks: { chain: { chainId: ${chainId}, transport: http('${node}'), maxRequestsPerSecond: 100_000 } },
  blocks: { Each: { ${range}, interval: 1 } },
  accounts: { Senders: { ${range}, address: ${senders}, includeTransactionReceipts: true } },
})`,
    'ponder.schema.ts': `
import { onchainTable } from 'ponder'
export const blocks = onchainTable('blocks', (t) => ({ number: t.bigint().primaryKey(), hash: t.hex(), parentHash: t.hex(),
  time: t.bigint(), gasUsed: t.bigint(), gasLimit: t.bigint(), baseFee: t.bigint(), miner: t.hex() }))
export const transactions = onchainTable('transactions', (t) => ({ hash: t.hex().primaryKey(), block: t.bigint(),
  index: t.integer(), from: t.hex(), to: t.hex(), value: t.bigint(), nonce: t.integer(), gas: t.bigint(), gasPrice: t.bigint(),
  input: t.hex(), status: t.text(), gasUsed: t.bigint(), effectiveGasPrice: t.bigint(), contractAddress: t.hex() }))
export const calls = onchainTable('calls', (t) => ({ id: t.text().primaryKey(), block: t.bigint(), hash: t.hex(), from: t.hex(),
  to: t.hex(), value: t.bigint() }))`,
    'src/index.ts': `
import { ponder } from 'ponder:registry'
import { blocks, calls, transactions } from 'ponder:schema'
ponder.on('Each:block', async ({ event: { block }, context }) => {
  const { number, hash, parentHash, timestamp, gasUsed, gasLimit, baseFeePerGas, miner } = block
  await context.db.insert(blocks).values(
    { number, hash, parentHash, time: timestamp, gasUsed, gasLimit, baseFee: baseFeePerGas, miner })
})
ponder.on('Senders:transaction:from', async ({ event: { block, transaction, transactionReceipt }, context }) => {
  const { hash, transactionIndex, from, to, value, nonce, gas, gasPrice, input } = transaction
  const { status, gasUsed, effectiveGasPrice, contractAddress } = transactionReceipt
  await context.db.insert(transactions).values({ hash, block: block.number, index: transactionIndex, from, to, value, nonce, gas,
    gasPrice, input, status, gasUsed, effectiveGasPrice, contractAddress })
})
${
  traces
    ? `ponder.on('Senders:transfer:from', async ({ event: { id, block, transaction, transfer }, context }) => {
  const { from, to, value } = transfer
  await context.db.insert(calls).values({ id, block: block.number, hash: transaction.hash, from, to, value })
})`
    : ''
}`,
    'src/api/index.ts': `
import { Hono } from 'hono'
export default new Hono()`,
  }
}

/** Runs Ponder until it has written a chain. */
export const runPonder = async (
  { file, args }: Located,
  options: PonderOptions,
): Promise<{ readonly schema: string; readonly cpuMs: number; readonly peakMb: number }> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-ponder-'))
  mkdirSync(join(folder, 'src/api'), { recursive: true })
  for (const [name, text] of Object.entries(filesOf(options))) writeFileSync(join(folder, name), text)
  const script = realpathSync(args[0] ?? file)
  symlinkSync(script.slice(0, script.lastIndexOf(modules) + modules.length), join(folder, modules))
  const port = await freePort()
  const command = [
    'start',
    '--schema',
    schema,
    '--root',
    folder,
    '--port',
    String(port),
    '--log-level',
    'warn',
  ]
  const child = spawn(process.execPath, [script, ...command], {
    env: { PATH: process.env.PATH ?? '', PONDER_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'ignore', process.stderr],
  })
  const watch = watchProcess(child.pid as number) // Node is there
  const ended = once(child, 'close')
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`Ponder ended with ${child.exitCode}`)
      await sleep(pollMs)
    }
    return { schema, ...watch.stop() }
  } finally {
    watch.stop()
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

/** It says so when the past is written. */
const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
