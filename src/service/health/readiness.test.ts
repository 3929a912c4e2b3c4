import { expect, test } from 'vitest'
import type { SyncProgress } from '../../chain/port/network.ts'
import type { Finding } from '../chain/findings.ts'
import { Readiness } from './readiness.ts'

interface Circumstances {
  mode: 'embedded' | 'cometbft' | 'gateway'
  mining: { kind: 'auto' } | { kind: 'interval'; milliseconds: number }
  sync: () => Promise<SyncProgress | undefined>
  failure: string | undefined
  problem: Finding | undefined
  idleSeconds: number
  nowMs: number
}

const readinessOf = (changed: Partial<Circumstances> = {}) => setUp(changed).readiness

const setUp = (changed: Partial<Circumstances> = {}) => {
  const now = {
    mode: 'cometbft',
    mining: { kind: 'auto' },
    sync: async () => undefined,
    failure: undefined,
    problem: undefined,
    idleSeconds: 1,
    nowMs: 0,
    ...changed,
  } as Circumstances
  const served = {
    engineStats: now.mode === 'cometbft' ? () => ({ failure: now.failure }) : undefined,
    findProblem: () => now.problem,
    chain: {
      mode: now.mode,
      dev: now.mode === 'embedded' ? { miningMode: () => now.mining } : undefined,
      head: () => ({ number: 7 }),
      network: { syncing: now.sync },
    },
  }
  const readiness = new Readiness(
    { haltedAfterMs: 60_000, createEmptyBlocks: true },
    { served, blocks: { secondsSinceBlock: () => now.idleSeconds }, now: () => now.nowMs } as never, // what it reads
  )
  readiness.setServing(true)
  return { readiness, now }
}

const reasonsOf = async (changed: Partial<Circumstances>) =>
  (await readinessOf(changed).check()).map(({ reason }) => reason)

test('a node is ready in every mode while nothing is wrong', async () => {
  expect(await reasonsOf({})).toEqual([])
  expect(await reasonsOf({ mode: 'embedded', idleSeconds: 1e6 })).toEqual([])
  expect(await reasonsOf({ mode: 'gateway' })).toEqual([])
})

test('it is not before it serves', async () => {
  const readiness = readinessOf()
  readiness.setServing(false)
  expect((await readiness.check()).map(({ reason }) => reason)).toEqual(['starting'])
})

test('it is not while it is behind', async () => {
  const sync = async () => ({ startingBlock: 0, currentBlock: 3, highestBlock: 90 })
  const [finding] = await readinessOf({ sync }).check()
  expect(finding).toEqual({ reason: 'behind', problem: 'the node is behind: it is at block 3 of 90' })
  expect(await readinessOf({ mode: 'gateway', sync, idleSeconds: 61 }).check()).toEqual([
    { reason: 'behind', problem: 'the gateway is behind: it is at block 3 of 90' },
  ])
  const catchingUp = async () => ({ startingBlock: 3, currentBlock: 3, highestBlock: 3, isChainAway: false })
  const [itself] = await readinessOf({ mode: 'gateway', sync: catchingUp }).check()
  expect(itself).toMatchObject({ reason: 'behind', problem: expect.stringContaining('is itself behind') })
})

test('it is not without its engine', async () => {
  const sync = async () => {
    throw new Error('connect ECONNREFUSED')
  }
  const [finding] = await readinessOf({ sync }).check()
  expect(finding).toEqual({ reason: 'engine', problem: 'CometBFT does not answer: connect ECONNREFUSED' })
  expect(await reasonsOf({ failure: 'the consensus failed', sync })).toEqual(['engine'])
})

test('a gateway without any node is not, and knows neither that it is behind nor that the chain stands', async () => {
  const away = { startingBlock: 3, currentBlock: 3, highestBlock: 3, isChainAway: true }
  const alone = { mode: 'gateway', sync: async () => away, idleSeconds: 61 } as const
  const silence = { reason: 'engine', problem: 'no node of the chain answers' } as const
  expect(await readinessOf(alone).check()).toEqual([silence])
  const told = { reason: 'engine', problem: 'no node of the chain answers: the store is served' } as const
  expect(await readinessOf({ ...alone, problem: told }).check()).toEqual([told])
  // A node was ahead before it went away.
  const sync = async () => ({ startingBlock: 0, currentBlock: 3, highestBlock: 90 })
  expect(await reasonsOf({ ...alone, problem: told, sync })).toEqual(['engine', 'behind'])
})

test('it is not while the chain stands, where blocks must come', async () => {
  const [finding] = await readinessOf({ idleSeconds: 61 }).check()
  expect(finding?.problem).toBe(
    'the chain stands: block 7 is the newest for 61 seconds, more than 60 (halted-after)',
  )
  expect(await reasonsOf({ mode: 'gateway', idleSeconds: 61 })).toEqual(['halted'])
  const mining = { kind: 'interval', milliseconds: 30_000 } as const
  expect(await reasonsOf({ mode: 'embedded', mining, idleSeconds: 61 })).toEqual([])
  expect(await reasonsOf({ mode: 'embedded', mining, idleSeconds: 91 })).toEqual(['halted'])
})

test('it tells all reasons, the gravest first', async () => {
  const problem = { reason: 'disk', problem: 'full' } as const
  expect(await reasonsOf({ problem, idleSeconds: 99, failure: 'gone' })).toEqual(['engine', 'disk', 'halted'])
})

test('the time without blocks counts from the change of the mining mode', async () => {
  const { readiness, now } = setUp({ mode: 'embedded', idleSeconds: 3600 })
  const reasons = async () => (await readiness.check()).map(({ reason }) => reason)
  expect(await reasons()).toEqual([])
  now.mining = { kind: 'interval', milliseconds: 30_000 }
  now.nowMs = 1_000
  expect(await reasons()).toEqual([])
  now.nowMs = 91_000
  expect(await reasons()).toEqual([])
  now.nowMs = 92_000
  expect(await reasons()).toEqual(['halted'])
})
