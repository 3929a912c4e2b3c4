import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/support/freePort.ts'
import { run } from '../../test/support/program.ts'
import { createRpcClient } from '../../test/support/rpc/rpcClient.ts'

/** How fast a gateway takes in a chain that is there. */

const replayFile = fileURLToPath(new URL('replayProcess.ts', import.meta.url))

const startUpstream = async (blocks: number, transactions: number) => {
  const args = [
    '--import',
    'tsx',
    replayFile,
    '--blocks',
    String(blocks),
    '--transactions',
    String(transactions),
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url, grpc] = /^replay ready (\S+) (\S+)$/.exec(line) ?? []
    if (url !== undefined && grpc !== undefined)
      return {
        url,
        grpc,
        stop: async (): Promise<void> => {
          child.kill('SIGTERM')
          await once(child, 'exit')
        },
      }
  }
  throw new Error('the replay upstream ended')
}

export interface Backfill {
  readonly blocks: number
  readonly transactions: number
  /** From when the gateway began to serve until it had the last block. */
  readonly seconds: number
}

export const measureBackfill = async (blocks: number, perBlock: number): Promise<Backfill> => {
  const upstream = await startUpstream(blocks, perBlock)
  const home = mkdtempSync(join(tmpdir(), 'perihelion-bench-gateway-'))
  const address = `127.0.0.1:${await freePort()}`
  const program = run([
    'gateway',
    ...['--node', upstream.url, '--grpc', upstream.grpc],
    ...['--home', home, '--json-rpc.address', address, '--json-rpc.ws-address', '127.0.0.1:0'],
  ])
  try {
    const client = createRpcClient(`http://${address}`)
    const height = async (): Promise<number> => Number(await client.call<string>('eth_blockNumber'))
    // It answers before it is ready, which it is when it has caught up.
    let first: number | undefined
    while (first === undefined) {
      if (program.child.exitCode !== null) throw new Error(`the gateway ended: ${program.stderr()}`)
      first = await height().catch(() => undefined)
      if (first === undefined) await sleep(5)
    }
    const started = performance.now()
    if (first === blocks) throw new Error('too few blocks: all were there when the gateway began to serve')
    while ((await height()) < blocks) await sleep(20)
    const seconds = (performance.now() - started) / 1000
    return { blocks: blocks - first, transactions: (blocks - first) * perBlock, seconds }
  } finally {
    program.child.kill('SIGTERM')
    await program.ended()
    await upstream.stop()
    rmSync(home, { recursive: true, force: true })
  }
}
