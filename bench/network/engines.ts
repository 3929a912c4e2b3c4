import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHomes, HomeProcess } from '../../test/network/homeProcess.ts'
import { startEvmd } from '../support/peers/evmd.ts'
import { installPeer } from '../support/peers/install.ts'
import { chainId } from '../support/peers/program.ts'
import { cpuMsOf, rssMbOf } from '../support/run/processTree.ts'
import type { Target } from '../support/transactions/measure.ts'

/** CPU time by the call of the engine during which it was spent; `none`: no call was open. */
export type CpuByCall = Readonly<Record<string, { readonly calls: number; readonly microseconds: number }>>

export interface RunningEngine extends Target {
  cpuByCall(): CpuByCall
  rssMb(): number
  stop(): Promise<void>
}

const preload = fileURLToPath(new URL('abciCpu.mjs', import.meta.url))

/** A pool that turns nothing away. */
const wideOpenPool = ['account-slots', 'global-slots', 'account-queue', 'global-queue'].map(
  (name) => `--txpool.${name}=1000000`,
)

const portOf = ({ http }: HomeProcess): number => Number(new URL(http).port)

const startSolo = async (blockTimeMs: number): Promise<RunningEngine> => {
  const home = mkdtempSync(join(tmpdir(), 'perihelion-bench-'))
  const node = new HomeProcess(home, {
    args: [
      ...['--chain-id', `${chainId}`, '--json-rpc.address', '127.0.0.1:0', '--json-rpc.ws-address', ''],
      ...['--block-time', `${blockTimeMs}ms`, ...wideOpenPool],
    ],
  })
  await node.ready()
  return {
    port: portOf(node),
    cpuMs: () => cpuMsOf(node.pid),
    rssMb: () => rssMbOf(node.pid),
    cpuByCall: () => ({}),
    stop: async () => {
      await node.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const startNetwork = async (validators: number, blockTimeMs: number): Promise<RunningEngine> => {
  const homes = createHomes(validators, blockTimeMs, chainId)
  const file = join(homes.folder, 'abci-cpu.json')
  const nodes = homes.homes.map(
    (home, index) =>
      new HomeProcess(home, {
        args: wideOpenPool,
        ...(index === 0 ? { nodeArgs: ['--import', preload], env: { ABCI_CPU: file } } : {}),
      }),
  )
  await Promise.all(nodes.map((node) => node.ready()))
  const [first] = nodes as [HomeProcess, ...HomeProcess[]]
  return {
    port: portOf(first),
    cpuMs: () => cpuMsOf(first.pid),
    rssMb: () => rssMbOf(first.pid),
    cpuByCall: () => JSON.parse(readFileSync(file, 'utf8')) as CpuByCall,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
      await homes.remove()
    },
  }
}

/** A validator of cosmos/evm, which nobody but the bench sends to. */
export const startPeer = async (blockTimeMs: number): Promise<RunningEngine> => {
  const chain = await startEvmd(installPeer('evmd').file, {
    blockTimeMs,
    chainId,
    flags: wideOpenPool.map((flag) => flag.replace('--txpool.', '--evm.mempool.')),
  })
  return {
    port: Number(new URL(chain.jsonRpc).port),
    cpuMs: () => cpuMsOf(chain.pid),
    rssMb: () => rssMbOf(chain.pid),
    cpuByCall: () => ({}),
    stop: () => chain.stop(),
  }
}

/** Starts the embedded engine, or a network of validators under CometBFT. */
export const startEngine = (validators: number | undefined, blockTimeMs: number): Promise<RunningEngine> =>
  validators === undefined ? startSolo(blockTimeMs) : startNetwork(validators, blockTimeMs)
