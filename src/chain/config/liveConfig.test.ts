import { describe, expect, it } from 'vitest'
import { createDevGenesis } from '../genesis/devGenesis.ts'
import { parseChainConfig, type ScheduledFork } from './chainConfig.ts'
import { forksAhead } from './forksAhead.ts'
import {
  createLiveConfig,
  describeInapplicableFork,
  describeUnknownFork,
  requireKnownRules,
} from './liveConfig.ts'

const { config: base } = createDevGenesis({
  chainId: 7n,
  accounts: [],
  coinbase: new Uint8Array(20),
  timestamp: 0n,
  fork: 'cancun',
})

const fork = (name: string, time: bigint, version = ''): ScheduledFork => ({ name, time, version })
const began = [fork('shanghai', 0n), fork('cancun', 0n)]

const liveWith = (...ahead: readonly ScheduledFork[]) => {
  const config = createLiveConfig(base)
  config.follow([...began, ...ahead])
  return config
}
const timesOf = (...ahead: readonly ScheduledFork[]) =>
  liveWith(...ahead).activations.flatMap(({ name, by, at }) =>
    by === 'time' && at > 0n ? [[name, at] as const] : [],
  )
const problemsOf = (...ahead: readonly ScheduledFork[]) =>
  liveWith(...ahead).inapplicableForks.map(({ name, problem }) => [name, problem])

describe('an empty schedule', () => {
  it('takes the place of the times of a file', () => {
    const told = parseChainConfig({ ...base.source, pragueTime: 50 })
    const config = createLiveConfig(told)
    const names = () => config.activations.flatMap(({ name, by }) => (by === 'time' ? [name] : []))
    expect(names()).toEqual(['shanghai', 'cancun', 'prague'])
    expect(config.follow([])).toBe(true)
    expect(names()).toEqual([])
    expect(config.follow([])).toBe(false)
    config.replace(told)
    expect(names()).toContain('prague')
    config.follow([])
    expect(names()).toEqual([])
  })
})

describe('a scheduled fork that this version does not know', () => {
  it('is told to need another version, and stops the node', () => {
    const { unknownForks } = liveWith(fork('amsterdam', 100n, '9.8.7'))
    const text =
      'the fork amsterdam, at time 100, is not known to version 1.0.0: install version 9.8.7 or later'
    expect(unknownForks.map((one) => describeUnknownFork(one, '1.0.0'))).toEqual([text])
    expect(() => requireKnownRules({ unknownForks }, 99n, '1.0.0')).not.toThrow()
    expect(() => requireKnownRules({ unknownForks }, 100n, '1.0.0')).toThrow(text)
  })

  it('comes before all that is scheduled after it', () => {
    const config = liveWith(fork('prague', 50n), fork('amsterdam', 100n), fork('osaka', 200n))
    expect(config.unknownForks.map(({ name }) => name)).toEqual(['amsterdam', 'osaka'])
    expect(config.inapplicableForks).toEqual([])
    expect(forksAhead(config, { number: 0, time: 10 }).map(({ name, isKnown }) => [name, isKnown])).toEqual([
      ['prague', true],
      ['amsterdam', false],
      ['osaka', true],
    ])
  })
})

describe('a scheduled fork that cannot be applied', () => {
  const figures = { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 }
  const withFigures = parseChainConfig({ ...base.source, blobSchedule: { bpo1: figures, bpo2: figures } })

  it.each([
    ['osaka', 'config has osaka, but not prague before it'],
    ['bpo1', 'config has bpo1Time, but blobSchedule has no bpo1'],
  ])('has no effect, and says why: %s', (name, problem) => {
    expect(problemsOf(fork(name, 100n))).toEqual([[name, problem]])
    expect(timesOf(fork(name, 100n))).toEqual([])
    const config = liveWith(fork(name, 100n, '9.8.7'))
    expect(config.unknownForks).toEqual([])
    expect(forksAhead(config, { number: 0, time: 10 })).toEqual([
      { name, by: 'time', at: 100n, isKnown: true, version: '9.8.7', problem },
    ])
    const described = (now: bigint) =>
      config.inapplicableForks.map((one) => describeInapplicableFork(one, now))
    const text = `the fork ${name}, at time 100, cannot be applied: ${problem}: `
    expect(described(99n)).toEqual([
      `${text}cancel it before that time; otherwise it has no effect as long as that is so`,
    ])
    expect(described(100n)).toEqual([`${text}it has no effect as long as that is so`])
  })

  it('takes effect with the fork that it lacks, and keeps no later one from it', () => {
    const config = createLiveConfig(withFigures)
    const follow = (...ahead: readonly ScheduledFork[]) => {
      config.follow([...began, ...ahead])
      const { inapplicableForks, activations } = config
      return [
        inapplicableForks.map(({ name }) => name),
        activations.filter(({ at, by }) => by === 'time' && at > 0n).map(({ name, at }) => [name, at]),
      ]
    }
    expect(follow(fork('prague', 50n), fork('bpo1', 100n))).toEqual([['bpo1'], [['prague', 50n]]])
    expect(config.inapplicableForks[0]?.problem).toBe('config has bpo1, but not osaka before it')
    expect(follow(fork('prague', 50n), fork('bpo1', 100n), fork('osaka', 200n))).toEqual([
      [],
      [
        ['prague', 50n],
        ['osaka', 200n],
        ['bpo1', 200n],
      ],
    ])
    expect(follow(fork('bpo1', 10n), fork('osaka', 20n), fork('prague', 30n))).toEqual([
      [],
      [
        ['prague', 30n],
        ['osaka', 30n],
        ['bpo1', 30n],
      ],
    ])
  })

  it('leaves a later change of blobs that is in force as it is', () => {
    const config = createLiveConfig(withFigures)
    config.follow([...began, fork('prague', 1n), fork('osaka', 2n), fork('bpo2', 3n), fork('bpo1', 4n)])
    expect(config.inapplicableForks).toMatchObject([{ name: 'bpo1' }])
    expect(config.activations.at(-1)).toMatchObject({ name: 'bpo2', at: 3n })
  })
})
