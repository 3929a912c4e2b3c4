import { describe, expect, it } from 'vitest'
import type { Logger } from '../../base/logging/log.ts'
import type { ScheduledFork } from '../../chain/config/chainConfig.ts'
import { createLiveConfig } from '../../chain/config/liveConfig.ts'
import { createDevGenesis } from '../../chain/genesis/devGenesis.ts'
import { ForkWatch } from './forkWatch.ts'

const { config: base } = createDevGenesis({
  chainId: 7n,
  accounts: [],
  coinbase: new Uint8Array(20),
  timestamp: 0n,
  fork: 'prague',
})
const began = ['shanghai', 'cancun', 'prague'].map((name) => ({ name, time: 0n, version: '' }))
const hourMs = 60 * 60_000

const createWatch = (startSeconds: number) => {
  const config = createLiveConfig(base)
  const lines: string[] = []
  const write =
    (level: string) =>
    (fields: { readonly fork: string }, text: string): void => {
      lines.push(`${level} ${fields.fork} ${text.replace(/.*cannot be applied.*: /, 'cannot be applied: ')}`)
    }
  // Only what is used.
  const log = { info: write('info'), warn: write('warn'), debug: write('debug') } as unknown as Logger
  let nowMs = startSeconds * 1000
  const watch = new ForkWatch({ config, findWarnings: async () => [], now: () => nowMs, log })
  return {
    watch,
    lines: () => lines.splice(0),
    schedule: (time: bigint, ...forks: readonly Omit<ScheduledFork, 'version'>[]) => {
      config.follow([...began, ...forks.map((fork) => ({ ...fork, version: '' }))])
      watch.onSchedule(time)
    },
    pass: (milliseconds: number) => {
      nowMs += milliseconds
    },
  }
}
const osaka = { name: 'osaka', time: 200n }

describe('what the operator hears of forks', () => {
  it('is when one is scheduled, moved, cancelled and in force, once each', () => {
    const { schedule, watch, lines } = createWatch(100)
    schedule(100n, osaka)
    schedule(101n, { ...osaka, time: 300n })
    expect(lines()).toEqual(['info osaka a fork is scheduled', 'info osaka a fork is scheduled'])
    schedule(102n)
    expect(lines()).toEqual(['info osaka a fork is cancelled'])
    schedule(103n, osaka)
    for (const time of [199n, 200n, 201n]) watch.onHead(time)
    expect(lines()).toEqual(['info osaka a fork is scheduled', 'info osaka the rules of a fork are in force'])
  })

  it('is nothing of what was over before its blocks are replayed', () => {
    const { schedule, watch, lines } = createWatch(1_000)
    schedule(100n, osaka)
    schedule(101n)
    schedule(102n, osaka)
    watch.onHead(200n)
    expect(lines()).toEqual([])
  })

  it('is a warning of one that cannot be applied, each hour as long as it can be cancelled', () => {
    const { schedule, watch, lines, pass } = createWatch(100)
    schedule(100n, { name: 'bpo1', time: 9_000n })
    const ahead =
      'warn bpo1 cannot be applied: cancel it before that time; otherwise it has no effect as long as that is so'
    expect(lines()).toEqual(['info bpo1 a fork is scheduled', ahead])
    watch.onHead(101n)
    expect(lines()).toEqual([])
    pass(hourMs)
    watch.onHead(102n)
    expect(lines()).toEqual([ahead])
    pass(3 * hourMs)
    watch.onHead(9_000n)
    expect(lines()).toEqual([])
    const later = createWatch(10_000)
    later.schedule(9_500n, { name: 'bpo1', time: 9_000n })
    expect(later.lines()).toEqual(['warn bpo1 cannot be applied: it has no effect as long as that is so'])
  })
})
