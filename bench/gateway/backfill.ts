import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../test/gateway/evmd/client.ts'
import { ownPorts, run } from '../../test/support/program.ts'

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
  const program = run(['gateway', '--node', upstream.url, '--grpc', upstream.grpc, ...ownPorts(home)])
  try {
    const { http = '' } = await program.ready()
    const client = createClient(http)
    const height = async (): Promise<number> => Number(await client.call<string>('eth_blockNumber'))
    const first = await height()
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
