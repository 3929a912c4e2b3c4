import { buildChain } from '../support/chain/build.ts'
import { type ChainPlan, type ChainSize, contracts, planChain } from '../support/chain/plan.ts'
import { Ticker } from '../support/chain/ticker.ts'
import { type StartOptions, startNode } from '../support/peers/runningNode.ts'
import type { OpenSide, RunOptions, Side } from '../support/run/part.ts'
import { createThreadNames, unnamedThreads } from '../support/run/threads.ts'
import { watchCollector } from './collector.ts'
import type { AnswersStage } from './stage.ts'

export type WatchedStage = AnswersStage & Required<Pick<AnswersStage, 'gcMs' | 'v8Ms'>>

/** The same chain on every side, as long as the side makes it in a reasonable time. */
const sizeOf = (name: string, { isQuick }: RunOptions): ChainSize => {
  if (isQuick) return { logBlocks: 120, busyBlocks: 4, perBlock: 200, heavyBlocks: 2 }
  const size = { logBlocks: 2_000, busyBlocks: 200, perBlock: 200, heavyBlocks: 20 }
  if (name === 'hardhat') return { ...size, logBlocks: 1_000, busyBlocks: 50 }
  if (name === 'ganache') return { ...size, logBlocks: 500, busyBlocks: 20, heavyBlocks: 2 }
  return size
}

const plans = new Map<string, ChainPlan>()
/** Signing takes as long as making the chain: sides of one size share it. */
const planOf = (size: ChainSize): ChainPlan => {
  const key = JSON.stringify(size)
  const plan = plans.get(key) ?? planChain(size, contracts)
  plans.set(key, plan)
  return plan
}

/** Starts a program and makes the chain there. */
export const openStage = async (
  name: string,
  options: RunOptions,
  start: StartOptions = {},
): Promise<OpenSide<AnswersStage>> => {
  const node = await startNode(name, { isArchive: true, ...start })
  try {
    const chain = await buildChain(node, planOf(sizeOf(name, options)))
    const { port, version, pid, cpuMs, rssMb, stop } = node
    return { stage: { port, pid, chain, ticker: new Ticker(port), cpuMs, rssMb }, version, close: stop }
  } catch (error) {
    await node.stop()
    throw error
  }
}

/** Starts this program as `openStage` does, and watches its collector and its compiler. */
export const openWatched = async (options: RunOptions): Promise<OpenSide<WatchedStage>> => {
  const [collector, threads] = [watchCollector(), createThreadNames()]
  const stop = (): void => {
    collector.close()
    threads.close()
  }
  const nodeArgs = [...collector.nodeArgs, ...threads.nodeArgs]
  try {
    const open = await collector.during(() => openStage('perihelion', options, { nodeArgs }))
    const v8Ms = (): number => threads.readTimes(open.stage.pid).get(unnamedThreads) ?? 0
    return {
      ...open,
      stage: { ...open.stage, gcMs: collector.gcMs, v8Ms },
      close: async () => {
        await open.close()
        stop()
      },
    }
  } catch (error) {
    stop()
    throw error
  }
}

/** Starts this program, or a peer. This program is watched. */
export const createSide = (name: string, options: RunOptions): Side<AnswersStage> => ({
  name,
  kind: name === 'perihelion' ? 'ours' : 'peer',
  open: () => (name === 'perihelion' ? openWatched(options) : openStage(name, options)),
})
