import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/freePort.ts'
import { runProgram } from '../../test/support/program.ts'
import { createRpcClient, type RpcClient } from '../../test/support/rpc/rpcClient.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import { cpuMsOf, rssMbOf, threadCpuMs } from '../support/run/processTree.ts'

export interface RunningGateway {
  readonly client: RpcClient
  readonly port: number
  readonly home: string
  /** CPU of all threads, and of the one that answers. */
  cpuMs(): number
  mainCpuMs(): number
  rssMb(): number
  /** The most that it had resident. */
  peakMb(): number
  height(): Promise<number>
  reach(height: number): Promise<void>
  /** Ends it; a home that was given stays. */
  stop(): Promise<void>
}

const pollMs = 20

/** Starts a gateway, which answers when this returns; it may be far behind then. */
export const startGateway = async (
  flags: readonly string[],
  given: { readonly home?: string; readonly port?: number } = {},
): Promise<RunningGateway> => {
  const home = given.home ?? mkdtempSync(join(tmpdir(), 'perihelion-bench-gateway-'))
  const port = given.port ?? (await freePort())
  const own = ['--home', home, `--json-rpc.address=127.0.0.1:${port}`, '--json-rpc.ws-address=127.0.0.1:0']
  const program = runProgram(['gateway', ...flags, ...own], {}, ownProgram())
  const pid = program.child.pid as number // Node is there
  const stop = async (): Promise<void> => {
    program.child.kill('SIGTERM')
    await program.ended()
    if (given.home === undefined) rmSync(home, { recursive: true, force: true })
  }
  const client = createRpcClient(`http://127.0.0.1:${port}`)
  const height = async (): Promise<number> => Number(await client.call<string>('eth_blockNumber'))
  const isServing = (): Promise<boolean> =>
    height().then(
      () => true,
      () => false,
    )
  while (!(await isServing())) {
    if (program.child.exitCode !== null) throw new Error(`the gateway ended: ${program.stderr()}`)
    await sleep(pollMs)
  }
  return {
    client,
    port,
    home,
    stop,
    height,
    cpuMs: () => cpuMsOf(pid),
    mainCpuMs: () => threadCpuMs(pid, pid),
    rssMb: () => rssMbOf(pid),
    peakMb: () => {
      const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      return Number(kilobytes) / 1024
    },
    reach: async (wanted) => {
      while ((await height()) < wanted) await sleep(pollMs)
    },
  }
}
