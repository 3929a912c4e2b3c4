import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ScheduledFork } from '../../../chain/config/chainConfig.ts'
import type { NodeStatus } from '../../../comet/data/replies.ts'
import { ForkDeadline } from './forkDeadline.ts'

const forkTime = 1_000n

describe('a node that no call of its engine stops at a fork that it does not know', () => {
  let deadline: ForkDeadline
  let chain: { now: number; height: number; catchingUp: boolean; forks: readonly ScheduledFork[] }
  const passed: string[] = []

  beforeEach(() => {
    passed.length = 0
    const forks = [{ name: 'amsterdam', time: forkTime, version: '9.8.7' }]
    chain = { now: 900, height: 5, catchingUp: false, forks }
    deadline = new ForkDeadline(
      { pollMs: 1e9, graceMs: 30_000, catchUpMs: 60_000 },
      {
        config: {
          get unknownForks() {
            return chain.forks
          },
        },
        height: () => chain.height,
        rpc: { status: async () => ({ isCatchingUp: chain.catchingUp }) as NodeStatus },
        now: () => chain.now * 1000,
        onPassed: (reason) => passed.push(reason),
      },
    )
  })
  afterEach(() => deadline.close())

  const at = async (now: number): Promise<number> => {
    chain.now = now
    await deadline.poll()
    return passed.length
  }

  it('ends a while after its time, once, with what to install', async () => {
    for (const now of [950, 1_000, 1_029]) expect(await at(now)).toBe(0)
    for (const now of [1_030, 1_031]) expect(await at(now)).toBe(1)
    expect(passed[0]).toMatch(
      /^this node stops here: the fork amsterdam, .*install version 9\.8\.7 or later$/,
    )
  })

  it('goes on as long as there are blocks, and longer where it is catching up', async () => {
    for (const now of [1_010, 1_035, 1_060]) {
      chain.height++
      expect(await at(now)).toBe(0)
    }
    chain.catchingUp = true
    expect(await at(1_100)).toBe(0)
    expect(await at(1_120)).toBe(1)
  })

  it('goes on where there is no such fork, or it was reverted', async () => {
    chain.forks = []
    expect(await at(2_000)).toBe(0)
  })
})
