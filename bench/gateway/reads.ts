import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isolatedFlags, runProgram } from '../../test/support/program.ts'
import { createRpcClient } from '../../test/support/rpc/rpcClient.ts'
import { LoadDriver } from '../support/load/drive.ts'
import { type Chain, mnemonic, startEvmd } from '../support/peers/evmd.ts'
import { installPeer } from '../support/peers/install.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import type { Measured, Row, RunOptions, Side } from '../support/run/part.ts'
import { cpuMsOf } from '../support/run/processTree.ts'
import { definePart } from '../support/run/runPart.ts'
import { type Filled, fillChain } from './fill.ts'

/** A server of JSON-RPC over one chain: a node of the chain, or a gateway in front of it. */
interface ReadsStage {
  readonly port: number
  readonly pid: number
  readonly filled: Filled
}

const hex = (value: number): string => `0x${value.toString(16)}`

type Draw = (filled: Filled) => readonly [method: string, ...params: readonly unknown[]]

const reads: Readonly<Record<string, Draw>> = {
  'full block': ({ busiest }) => ['eth_getBlockByNumber', hex(busiest), true],
  'block receipts': ({ busiest }) => ['eth_getBlockReceipts', hex(busiest)],
  'logs of 100 blocks': ({ contract, head }) => [
    'eth_getLogs',
    { address: contract, fromBlock: hex(Math.max(head - 99, 1)), toBlock: hex(head) },
  ],
  'chain id': () => ['eth_chainId'],
  'block number': () => ['eth_blockNumber'],
  'balance at a height': ({ sender, head }) => ['eth_getBalance', sender, hex(head)],
  'transaction by hash': ({ transaction }) => ['eth_getTransactionByHash', transaction],
  receipt: ({ transaction }) => ['eth_getTransactionReceipt', transaction],
}

/** The chain is made once; both sides serve it. */
class SharedChain {
  readonly #transactions: number
  #chain: { readonly chain: Chain; readonly filled: Filled } | undefined

  constructor({ isQuick }: RunOptions) {
    this.#transactions = isQuick ? 40 : 400
  }

  async open() {
    if (this.#chain === undefined) {
      const chain = await startEvmd(installPeer('evmd').file, { blockTimeMs: 1_000 })
      const filled = await fillChain(createRpcClient(chain.jsonRpc), mnemonic, this.#transactions)
      this.#chain = { chain, filled }
    }
    return this.#chain
  }

  async close(): Promise<void> {
    await this.#chain?.chain.stop()
    this.#chain = undefined
  }
}

const gatewaySide = (shared: SharedChain): Side<ReadsStage> => ({
  name: 'perihelion',
  kind: 'ours',
  open: async () => {
    const { chain, filled } = await shared.open()
    const home = mkdtempSync(join(tmpdir(), 'perihelion-bench-gateway-'))
    const flags = ['--node', chain.node, '--grpc', chain.grpc, '--json-rpc.rate-limit=0']
    const program = runProgram(['gateway', ...flags, ...isolatedFlags(home)], {}, ownProgram())
    const { http = '' } = await program.ready()
    const client = createRpcClient(http)
    while (Number(await client.call<string>('eth_blockNumber')) < filled.head) await sleep(100)
    return {
      stage: { port: Number(new URL(http).port), pid: program.child.pid ?? 0, filled },
      close: async () => {
        program.child.kill('SIGTERM')
        await program.ended()
        rmSync(home, { recursive: true, force: true })
      },
    }
  },
})

const evmdSide = (shared: SharedChain): Side<ReadsStage> => ({
  name: 'evmd',
  kind: 'peer',
  open: async () => {
    const { chain, filled } = await shared.open()
    return {
      stage: { port: Number(new URL(chain.jsonRpc).port), pid: chain.pid, filled },
      close: () => shared.close(),
    }
  },
})

const measureRead = async (
  driver: LoadDriver,
  { port, pid, filled }: ReadsStage,
  draw: Draw,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Measured> => {
  const [method, ...params] = draw(filled)
  const file = driver.prepare([JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })])
  const order = { port, file, connections, seconds }
  const warm = await driver.warmUp(order)
  const cpuBefore = cpuMsOf(pid)
  const result = await driver.drive(order, warm)
  const { requests, p50Ms, p99Ms, bytes } = result
  const cpuMicros = ((cpuMsOf(pid) - cpuBefore) * 1000) / requests
  return {
    figures: { rate: requests / result.seconds, p50Ms, p99Ms, bytes, cpuMicros },
    ...(warm.errors > 0 ? { isVoid: true, note: `${warm.errors} errors` } : {}),
  }
}

/** A gateway's reads beside those of the node that runs the chain (`--peers evmd`, whose program EVMD names). */
export const part = definePart<ReadsStage>({
  sides: (options) => {
    if (!options.peers.includes('evmd')) return []
    const shared = new SharedChain(options)
    // The one that ends the chain is opened first, and so is closed last.
    return [evmdSide(shared), gatewaySide(shared)]
  },
  rows: ({ seconds }) => {
    const driver = new LoadDriver()
    process.once('exit', () => driver.close())
    return Object.entries(reads).map(
      ([name, draw]): Row<ReadsStage> => ({
        name,
        unit: 'request',
        by: 'rate',
        connections: [1, 16],
        measure: (stage, connections) => measureRead(driver, stage, draw, { connections, seconds }),
      }),
    )
  },
})
