import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Logger } from '../../../base/logging/log.ts'
import type { ConsensusState, NodeStatus } from '../../../comet/data/replies.ts'
import { ConsensusMonitor } from './consensusMonitor.ts'

const waiting = 4
const commit = 8

describe('the monitor of a CometBFT that the operator runs', () => {
  let monitor: ConsensusMonitor
  let logged: string[]
  let now: number
  let engine: { height: number; step: number; peers: number[]; catchingUp: boolean; error?: Error }
  let isExecuting: boolean

  beforeEach(() => {
    now = 0
    logged = []
    isExecuting = false
    engine = { height: 10, step: waiting, peers: [11, 11], catchingUp: false }
    const note = (level: string) => (first: unknown, text?: string) =>
      void logged.push(`${level} ${text ?? String(first)}`)
    const status = async () => {
      if (engine.error) throw engine.error
      return { latestHeight: engine.height, isCatchingUp: engine.catchingUp } as NodeStatus
    }
    const consensusState = async (): Promise<ConsensusState> => ({
      height: engine.height + 1,
      step: engine.step,
      peerHeights: engine.peers,
    })
    monitor = new ConsensusMonitor(
      { pollMs: 1e9, stalledMs: 20_000 },
      {
        rpc: { status, consensusState },
        isExecuting: () => isExecuting,
        now: () => now,
        log: { error: note('error'), info: note('info') } as unknown as Logger, // what it uses
      },
    )
  })
  afterEach(() => monitor.close())

  /** Polls every five seconds. */
  const watch = async (seconds: number): Promise<void> => {
    for (let at = 0; at < seconds; at += 5) {
      now += 5_000
      await monitor.poll()
    }
  }

  it('says nothing of a chain that waits for absent validators, however long', async () => {
    await watch(3600)
    expect(monitor.failure).toBeUndefined()
    expect(logged).toEqual([])
  })

  it('knows one that decided a block and does not go on, says so once, and sees it recover', async () => {
    await watch(10)
    engine.step = commit
    await watch(120)
    expect(monitor.failure).toMatch(/consensus of CometBFT failed: it decided block 11/)
    expect(logged).toEqual(['error no blocks are decided'])
    engine.height = 11
    await watch(5)
    expect(monitor.failure).toBeUndefined()
    expect(logged.at(-1)).toBe('info CometBFT decides blocks again')
  })

  it('does not take a block that is long to execute for a failure', async () => {
    engine.step = commit
    isExecuting = true
    await watch(120)
    expect(monitor.failure).toBeUndefined()
  })

  it('knows one that its peers leave behind', async () => {
    await watch(5)
    engine.peers = [11, 15]
    await watch(40)
    expect(monitor.failure).toMatch(/it stays at block 11 while its peers are at 15/)
  })

  it('lets one that catches up take its time', async () => {
    engine.catchingUp = true
    engine.peers = [500]
    await watch(120)
    expect(monitor.failure).toBeUndefined()
  })

  it('knows one that does not answer, unless it is back soon', async () => {
    await watch(5)
    engine.error = new Error('connect ECONNREFUSED')
    await watch(15)
    delete engine.error
    await watch(5)
    expect(monitor.failure).toBeUndefined()
    engine.error = new Error('connect ECONNREFUSED')
    await watch(40)
    expect(monitor.failure).toBe('CometBFT does not answer: connect ECONNREFUSED')
  })
})
