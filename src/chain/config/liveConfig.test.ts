import { describe, expect, it } from 'vitest'
import { createDevGenesis } from '../genesis/devGenesis.ts'
import type { ScheduledFork } from './chainConfig.ts'
import { createLiveConfig, describeUnknownFork, requireKnownRules } from './liveConfig.ts'

const { config: base } = createDevGenesis({
  chainId: 7n,
  accounts: [],
  coinbase: new Uint8Array(20),
  timestamp: 0n,
  fork: 'cancun',
})

const fork = (name: string, time: bigint, version = ''): ScheduledFork => ({ name, time, version })
const began = [fork('shanghai', 0n), fork('cancun', 0n)]

const unknownOf = (...ahead: readonly ScheduledFork[]) => {
  const config = createLiveConfig(base)
  config.follow([...began, ...ahead])
  return config.unknownForks
}

describe('a scheduled fork that this version cannot execute', () => {
  it('is told to need another version if its name is not known', () => {
    const [unknown] = unknownOf(fork('amsterdam', 100n, '9.8.7'))
    expect(unknown?.problem).toBeUndefined()
    expect(unknown && describeUnknownFork(unknown, '1.0.0')).toBe(
      'the fork amsterdam, at time 100, is not known to version 1.0.0: install version 9.8.7 or later',
    )
  })

  it.each([
    ['osaka', 'config has osaka, but not prague before it'],
    ['bpo1', 'config has bpo1Time, but blobSchedule has no bpo1'],
  ])('is told to be cancelled if its rules cannot be applied: %s', (name, problem) => {
    const unknown = unknownOf(fork(name, 100n, '9.8.7'), fork('bpo2', 200n), fork('amsterdam', 300n))
    expect(unknown.map((one) => one.problem)).toEqual([
      problem,
      `${name} before it cannot be applied`,
      undefined,
    ])
    const text = `the fork ${name}, at time 100, cannot be applied: ${problem}: cancel it before that time`
    expect(unknown[0] && describeUnknownFork(unknown[0], '1.0.0')).toBe(text)
    expect(() => requireKnownRules({ unknownForks: unknown }, 100n, '1.0.0')).toThrow(text)
  })

  it('has the reason of the first that cannot be applied', () => {
    expect(unknownOf(fork('prague', 50n), fork('amsterdam', 100n), fork('bpo1', 200n))).toMatchObject([
      { name: 'amsterdam', problem: undefined },
      { name: 'bpo1', problem: undefined },
    ])
  })
})
