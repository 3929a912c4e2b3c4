import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { isolatedFlags } from '../../../test/support/program.ts'
import { startTestService } from '../../../test/support/service.ts'
import { temporaryHome } from '../../../test/support/testServer.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { loadConfig } from '../../config/load.ts'
import { isWarmedUp, warmUpLater } from './warmUp.ts'

/** A chain that writes down what is asked of it. */
const recordingChain = (trace: () => Promise<unknown> = async () => ({ dispose: () => {} })) => {
  const asked: string[] = []
  const signals: AbortSignal[] = []
  const ask = (name: string, signal: AbortSignal): void => {
    asked.push(name)
    signals.push(signal)
  }
  const chain = {
    traces: {
      call: (_call: unknown, _at: unknown, _options: unknown, signal: AbortSignal) => {
        ask('trace', signal)
        return trace()
      },
    },
    executor: { call: (_call: unknown, _at: unknown, signal: AbortSignal) => ask('call', signal) },
  } as unknown as Chain // nothing else of a chain is used
  return { chain, asked, signals }
}

describe('a warm-up', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('runs one trace and two calls, once, after the start', async () => {
    const { chain, asked } = recordingChain()
    const stop = warmUpLater(chain)
    expect(asked).toEqual([])
    await vi.runAllTimersAsync()
    expect(asked).toEqual(['trace', 'call', 'call'])
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(asked).toHaveLength(3)
    stop()
  })

  test('that is given up before its time does nothing', async () => {
    const { chain, asked } = recordingChain()
    warmUpLater(chain)()
    await vi.runAllTimersAsync()
    expect(asked).toEqual([])
  })

  test('that is given up while it runs is cancelled', async () => {
    const { chain, signals } = recordingChain(() => new Promise(() => {}))
    const stop = warmUpLater(chain)
    await vi.runAllTimersAsync()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    stop()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  test('that cannot be done is nothing to tell', async () => {
    const { chain, asked } = recordingChain(() => Promise.reject(new Error('header not found')))
    warmUpLater(chain)
    await vi.runAllTimersAsync()
    expect(asked).toEqual(['trace'])
  })
})

describe('the thread of traces', () => {
  test('is there before anybody asks, and what it ran has not failed', async () => {
    const service = await startTestService(temporaryHome())
    const stats = () => service.served.workerStats?.().trace
    try {
      // A trace may begin and end between two looks; the thread that it started stays.
      await eventually(() => stats()?.workers === 1)
      await eventually(() => stats()?.busy === 0 && stats()?.waiting === 0)
      expect(stats()).toMatchObject({ workers: 1, replaced: 0 })
    } finally {
      await service.close()
    }
  })

  test.each<[string, string[], string[], boolean]>([
    ['is warmed up where traces are served', [], ['eth', 'debug'], true],
    ['waits for a client where they are not', [], ['eth'], false],
    ['waits for a client on a chain for a test', ['--ephemeral'], ['eth', 'debug'], false],
    ['waits for a client beside serving processes', ['--json-rpc.workers=2'], ['eth', 'debug'], false],
  ])('%s', (_, flags, namespaces, isExpected) => {
    const { config } = loadConfig({ flags: [...isolatedFlags(temporaryHome()), ...flags] })
    expect(isWarmedUp(config, namespaces, {})).toBe(isExpected)
  })

  test('waits for a client on a fork, also when it is started again without the URL', async () => {
    const remote = await startTestService(temporaryHome())
    const home = temporaryHome()
    const isWarmed = async (...flags: readonly string[]): Promise<boolean> => {
      const service = await startTestService(home, { flags })
      const { config } = loadConfig({ flags: [...isolatedFlags(home), ...flags] })
      try {
        return isWarmedUp(config, ['eth', 'debug'], service.served.chain)
      } finally {
        await service.close()
      }
    }
    try {
      expect(await isWarmed(`--fork-url=${remote.urls().http}`)).toBe(false)
      expect(await isWarmed()).toBe(false)
    } finally {
      await remote.close()
    }
  })
})
