import { LogNode } from './logNode.ts'
import { Oracle } from './oracle.ts'
import { LogWorld } from './randomLogs.ts'

export interface RunOptions {
  readonly seed: number
  readonly cases: number
  /** How many rounds of transactions a chain has before it is first looked at; a part of that later. */
  readonly rounds: number
  readonly onProgress?: (done: number, logs: number) => void
}

const stages = 5
const flags = ['--block-time=20ms', '--create-empty-blocks=false', '--json-rpc.logs-cap=0']

/**
 * One chain after the other, each compared with the oracle while it grows, after a restart, after blocks were taken
 * back and others came in their place, and after old ones were given up. `db check` has to agree each time.
 */
export const runOracle = async ({ seed, cases, rounds, onProgress }: RunOptions): Promise<void> => {
  const perStage = cases < 1_000 ? Math.ceil(cases / stages) : 200
  let done = 0
  let logs = 0
  for (let chain = 0; done < cases; chain++) {
    const world = new LogWorld(seed + chain)
    const node = new LogNode(...flags)
    const compare = async (oldest = 0): Promise<void> => {
      const count = Math.min(perStage, cases - done)
      await node.settle()
      const oracle = await Oracle.read(node, oldest)
      logs += (await oracle.compare(node, world, count)).logs
      done += count
      onProgress?.(done, logs)
    }
    const restart = async (change: () => Promise<void>, ...more: readonly string[]): Promise<void> => {
      await node.stop()
      await change()
      const faults = await node.faults()
      if (faults.length > 0) throw new Error(`db check: ${faults.slice(0, 3).join('; ')}`)
      await node.start(...more)
    }
    try {
      await node.start()
      await world.setUp(node)
      await world.grow(node, rounds)
      await compare()
      await restart(async () => {}, `--index.appearances=${chain % 2 === 0}`)
      await world.grow(node, Math.ceil(rounds / 3))
      await compare()
      const head = await node.head()
      await node.operate('debug_setHead', `0x${(head - 1 - world.below(head - 10)).toString(16)}`)
      await world.grow(node, Math.ceil(rounds / 3))
      await compare()
      const oldest = 2 + world.below((await node.head()) - 2)
      await restart(() => node.prune(oldest))
      await compare(oldest)
      await world.grow(node, Math.ceil(rounds / 5))
      await compare(oldest)
    } catch (error) {
      throw new Error(`chain of seed ${seed + chain}: ${(error as Error).message}`, { cause: error })
    } finally {
      await node.close()
    }
  }
}
