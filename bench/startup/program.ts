import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeChainFiles } from '../support/chain/chainFiles.ts'
import { median } from '../support/load/percentile.ts'
import { installPeer } from '../support/peers/install.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import { type StartOptions, startNode } from '../support/peers/runningNode.ts'
import type { Measured, Row, RunOptions, Side } from '../support/run/part.ts'
import { endedChildrenCpuMs } from '../support/run/processTree.ts'
import { definePart } from '../support/run/runPart.ts'

interface StartupStage {
  readonly name: string
  /** A home with blocks; this program's alone. */
  readonly oldHome: string | undefined
}

const pollMs = 4
/** What is left to do after the first answer is done by then; a single start is not waited for. */
const settleMs = (count: number): number => (count === 1 ? 100 : 2_000)

/** Starts a node some times; the median of the times, with the CPU until the first answer and the memory when idle. */
const measureStarts = async (name: string, count: number, options: StartOptions): Promise<Measured> => {
  const times: number[] = []
  const cpus: number[] = []
  const memory: number[] = []
  for (let round = 0; round < count; round++) {
    const node = await startNode(name, { ...options, pollMs })
    times.push(node.firstAnswerMs)
    cpus.push(node.cpuMs())
    await sleep(settleMs(count))
    memory.push(node.rssMb())
    await node.stop()
  }
  return { figures: { ms: median(times), cpuMs: median(cpus), rssMb: median(memory) } }
}

const run = async (file: string, args: readonly string[]): Promise<void> => {
  const child = spawn(file, args, { stdio: 'ignore' })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}`)
}

/** Runs a command some times; the mean, since CPU is counted in hundredths of a second. */
const measureCommand = async (file: string, args: readonly string[], count: number): Promise<Measured> => {
  const times: number[] = []
  const cpu = endedChildrenCpuMs()
  for (let round = 0; round < count; round++) {
    const start = performance.now()
    await run(file, args)
    times.push(performance.now() - start)
  }
  return { figures: { ms: median(times), cpuMs: (endedChildrenCpuMs() - cpu) / count } }
}

const versionCommand = (name: string): [string, string[]] => {
  if (name === bareNode) return [process.execPath, ['-e', '0']]
  if (name === 'perihelion') return [process.execPath, [ownProgram(), 'version']]
  const { file, args } = installPeer(name)
  return [file, [...args, name === 'geth' ? 'version' : '--version']]
}

const bareNode = 'node -e 0'

const makeOldHome = async (blocks: number): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-old-'))
  const { genesis, chain } = await makeChainFiles({ blocks, perBlock: 1, folder })
  const home = join(folder, 'home')
  await run(process.execPath, [ownProgram(), 'import', '--genesis', genesis, chain, '--home', home])
  return home
}

const createSide = (name: string, { isQuick }: RunOptions): Side<StartupStage> => ({
  name,
  kind: name === 'perihelion' ? 'ours' : name === bareNode ? 'floor' : 'peer',
  open: async () => {
    if (name !== 'perihelion' && name !== bareNode) installPeer(name)
    const oldHome = name === 'perihelion' ? await makeOldHome(isQuick ? 200 : 10_000) : undefined
    return {
      stage: { name, oldHome },
      close: async () => {
        if (oldHome !== undefined) rmSync(join(oldHome, '..'), { recursive: true, force: true })
      },
    }
  },
})

const isOurs = ({ kind }: { readonly kind: string }): boolean => kind === 'ours'
const isNode = ({ kind }: { readonly kind: string }): boolean => kind !== 'floor'

const rows = ({ isQuick }: RunOptions): Row<StartupStage>[] => {
  const count = isQuick ? 1 : 7
  const start = { unit: 'start', by: 'ms' } as const
  return [
    {
      ...start,
      name: 'new home to first answer',
      isOn: isNode,
      measure: ({ name }) => measureStarts(name, count, {}),
    },
    {
      ...start,
      name: `home of ${isQuick ? '200' : '10,000'} blocks to first answer`,
      isOn: isOurs,
      measure: ({ name, oldHome }) => measureStarts(name, count, { folder: oldHome }),
    },
    {
      ...start,
      name: '--ephemeral to first answer',
      isOn: isOurs,
      measure: ({ name }) => measureStarts(name, count, { flags: ['--ephemeral'] }),
    },
    {
      name: 'version',
      unit: 'command',
      by: 'ms',
      measure: ({ name }) => measureCommand(...versionCommand(name), isQuick ? 2 : 15),
    },
  ]
}

/** The command line, from the start of the process. */
export const part = definePart<StartupStage>({
  sides: (options) =>
    ['perihelion', ...options.peers.filter((name) => name !== 'evmd'), bareNode].map((name) =>
      createSide(name, options),
    ),
  rows,
})
