import { describe, expect, test } from 'vitest'
import { readOptions, UsageError } from '../../bench/options.ts'
import { compareBodies } from '../../bench/support/chain/compareAnswers.ts'
import type { PartEvent } from '../../bench/support/run/measurement.ts'
import type { OpenSide, RunOptions, Side } from '../../bench/support/run/part.ts'
import { cpuMsOf, parseCpuMs, processTree, rssMbOf } from '../../bench/support/run/processTree.ts'
import { runPart } from '../../bench/support/run/runPart.ts'

const options: RunOptions = { isQuick: true, peers: [], seconds: 1, maxAttempts: 1, only: '' }

describe('the runner', () => {
  const closed: string[] = []
  const side = (
    name: string,
    kind: Side<string>['kind'],
    open?: () => Promise<OpenSide<string>>,
  ): Side<string> => ({
    name,
    kind,
    open: open ?? (async () => ({ stage: name, close: async () => void closed.push(name) })),
  })
  const run = async (sides: readonly Side<string>[], fails: readonly string[] = []) => {
    const events: PartEvent[] = []
    await runPart(
      { suite: 'suite', part: 'part' },
      {
        sides: () => sides,
        rows: () => [
          {
            name: 'row',
            unit: 'thing',
            by: 'ms',
            isOn: ({ kind }) => kind !== 'floor',
            measure: (stage) => {
              if (fails.includes(stage)) throw new Error('it broke')
              return { figures: { ms: 1 } }
            },
          },
        ],
      },
      options,
      (event) => events.push(event),
    )
    return events.flatMap((event) => (event.kind === 'measurement' ? [event.measurement.side] : []))
  }
  const broken = async (): Promise<never> => {
    throw new Error('it does not start')
  }

  test('leaves out a peer that fails, and closes all others', async () => {
    closed.length = 0
    const sides = [side('ours', 'ours'), side('a', 'peer', broken), side('b', 'peer'), side('floor', 'floor')]
    expect(await run(sides)).toEqual(['ours', 'b'])
    expect(await run(sides, ['b'])).toEqual(['ours'])
    expect(closed).toEqual(['floor', 'b', 'ours', 'floor', 'b', 'ours'])
  })

  test('ends where ours fails, with everything closed', async () => {
    closed.length = 0
    await expect(run([side('b', 'peer'), side('ours', 'ours', broken)])).rejects.toThrow('it does not start')
    await expect(run([side('b', 'peer'), side('ours', 'ours')], ['ours'])).rejects.toThrow(
      'part, row: it broke',
    )
    expect(closed).toEqual(['b', 'ours', 'b'])
  })
})

describe('processes', () => {
  test('the name of a program may hold brackets and spaces', () => {
    const stat = `7 (a) b) S 1 ${'0 '.repeat(9)}100 50 20 10 0`
    expect(parseCpuMs(stat)).toEqual({ own: 1_500, ended: 300 })
  })

  test.skipIf(process.platform !== 'linux')('CPU and memory of this process are there', () => {
    expect(processTree(process.pid)[0]).toBe(process.pid)
    expect(cpuMsOf(process.pid)).toBeGreaterThan(0)
    expect(rssMbOf(process.pid)).toBeGreaterThan(10)
  })
})

describe('the comparison of answers', () => {
  const body = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result })

  test('passes over what legitimately differs, and over nothing else', () => {
    const block = {
      parentHash: '0x1',
      hash: '0x2',
      gasUsed: '0x5208',
      transactions: [{ hash: '0xaa', nonce: '0x1' }],
    }
    expect(compareBodies(body(block), body({ ...block, hash: '0x3', miner: '0x4' })).text).toBe('')
    const other = { ...block, transactions: [{ hash: '0xab', nonce: '0x1' }] }
    expect(compareBodies(body(block), body(other)).text).toContain('transactions[].hash')
    expect(compareBodies(body({ a: 1 }), body({ a: 1, b: 2 })).text).toBe('b is only theirs')
    expect(compareBodies(body({ a: null }), body({})).text).toBe('')
  })

  test('a peer with an error, or with half of the answer, is void', () => {
    const failed = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'no such method' },
    })
    expect(compareBodies(body('0x1'), failed)).toEqual({ text: 'it answers "no such method"', isVoid: true })
    expect(compareBodies(body(Array(100).fill(1)), body([])).isVoid).toBe(true)
    expect(compareBodies(body('0x1'), body('0x1'))).toEqual({ text: '', isVoid: false })
  })
})

describe('options', () => {
  test('a quick run has no peers unless they are named', () => {
    expect(readOptions(['answers', '--quick']).run).toMatchObject({
      isQuick: true,
      peers: [],
      maxAttempts: 1,
    })
    expect(readOptions(['answers', '--quick', '--peers', 'geth,anvil']).run.peers).toEqual(['geth', 'anvil'])
    expect(readOptions(['all', '--peers', 'none']).run.peers).toEqual([])
    expect(readOptions(['all']).suites.length).toBeGreaterThan(5)
  })

  test('what is not there is refused', () => {
    for (const args of [
      ['nothing'],
      ['answers', '--peers', 'parity'],
      ['--compare', 'a'],
      ['answers', '--seconds', '-1'],
    ])
      expect(() => readOptions(args)).toThrow(UsageError)
  })
})
