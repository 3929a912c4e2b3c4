import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { nodeOptions } from '../../../test/support/nodeOptions.ts'
import { slow } from '../../../test/support/slow.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { createLogger } from '../../base/logging/log.ts'
import { refused } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import { fromEntries } from '../../chain/state/overrides.ts'
import { type Node, startNode } from '../../node/node.ts'
import type { TraceTask } from '../trace/traceTask.ts'
import { WorkerPool } from './workerPool.ts'

const latest: BlockRef = { kind: 'tag', tag: 'latest' }
const never = new AbortController().signal
const errorOf = async (act: Promise<unknown>): Promise<unknown> => act.then(() => undefined).catch((e) => e)
const target = new Uint8Array(20).fill(0x77)
const question = (code: string) => ({
  request: { to: target },
  stateOverrides: [{ address: target, code: fromHex(`0x${code}`) }],
})

/** Looks at one slot after the other: each stays in the access list, which is on the heap. */
const manySlots = '60015b805450600101600256'
/** Counts down from 200,000: too long for the main thread, then returns 7. */
const longCall = '62030d405b60019003806004575060075f5260205ff3'
const seven = `0x${'00'.repeat(31)}07`

describe('a worker that dies', () => {
  let folder: string
  let node: Node

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-workers-'))
    const options = nodeOptions(folder, [])
    const jsonRpc = {
      ...options.jsonRpc,
      inlineGas: 100_000n,
      callQueue: 8,
      callMemory: 24_000_000,
      evmTimeout: 60_000,
      workerGrace: 5000,
    }
    node = await startNode({ ...options, jsonRpc }, createLogger('silent'))
  })
  // The last test closes the node.
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const run = async (code: string): Promise<string> =>
    toHex((await node.chain.executor.call(question(code), latest, never)).output)

  test('of too little heap costs its own call alone: those that wait get another worker', slow, async () => {
    const { executor } = node.chain
    const hostile = errorOf(Promise.resolve(executor.createAccessList(question(manySlots), latest, never)))
    const waiting = [run(longCall), run(longCall)]
    expect(await hostile).toEqual(refused('execution aborted (memory limit)'))
    expect(await Promise.all(waiting)).toEqual([seven, seven])
    expect(node.workerStats().call).toEqual({ workers: 1, busy: 0, waiting: 0, replaced: 1 })
  })

  test('with the node rejects what it had', async () => {
    const hostile = errorOf(
      Promise.resolve(node.chain.executor.createAccessList(question(manySlots), latest, never)),
    )
    const waiting = errorOf(run(longCall))
    await eventually(() => node.workerStats().call.waiting === 1)
    await node.close()
    expect(await hostile).toMatchObject({ kind: 'unavailable' })
    expect(await waiting).toMatchObject({ kind: 'unavailable' })
  })
})

test('without a queue as many calls run as there are workers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-workers-'))
  const options = nodeOptions(folder, [])
  const jsonRpc = { ...options.jsonRpc, inlineGas: 0n, callWorkers: 2, callQueue: 0, evmTimeout: 60_000 }
  const node = await startNode({ ...options, jsonRpc }, createLogger('silent'))
  const gone = new AbortController()
  try {
    const run = async (): Promise<unknown> =>
      node.chain.executor.call(question('5b5f56'), latest, gone.signal)
    const outcomes = [run(), run(), run()].map((call) => call.catch((error: unknown) => error))
    expect(await outcomes[2]).toMatchObject({ kind: 'limit exceeded' })
    gone.abort()
    expect(await Promise.all(outcomes.slice(0, 2))).toMatchObject([
      { kind: 'unavailable' },
      { kind: 'unavailable' },
    ])
  } finally {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

describe('a large task', () => {
  let folder: string
  let node: Node

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-workers-'))
    const options = nodeOptions(folder, [])
    const jsonRpc = { ...options.jsonRpc, inlineGas: 0n, callWorkers: 1, evmTimeout: 60_000 }
    node = await startNode({ ...options, jsonRpc }, createLogger('silent'))
  })
  afterAll(async () => {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const word = (value: number): Uint8Array => fromHex(`0x${value.toString(16).padStart(64, '0')}`)
  /** Simulates, which a worker does, a call that returns slot 5; the overrides set it to 6, and change other accounts. */
  const readSlot = async (accounts: number, signal: AbortSignal): Promise<string> => {
    const state = fromEntries(Array.from({ length: 10 }, (_, at) => [word(at), word(at + 1)] as const))
    const others = Array.from({ length: accounts }, (_, at) => ({
      address: word(at + 1000).subarray(12),
      balance: BigInt(at),
    }))
    const stateOverrides = [...others, { address: target, code: fromHex('0x6005545f5260205ff3'), state }]
    const blocks = [{ stateOverrides, calls: [{ to: target }] }]
    const options = { traceTransfers: false, validation: false, returnFullTransactions: false }
    const { json } = await node.chain.executor.simulate({ blocks, ...options }, latest, signal)
    return Buffer.from(json ?? []).toString()
  }
  const isPacked = async (): Promise<void> => {
    await Promise.resolve()
    expect(node.workerStats().call).toMatchObject({ workers: 1, busy: 1 })
  }

  test.each([10, 10_000])('of %i accounts is the same on the worker', async (accounts) => {
    expect(await readSlot(accounts, never)).toContain(`"returnData":"${toHex(word(6))}"`)
  })

  test('that its client gives up while it is packed costs no worker', async () => {
    const gone = new AbortController()
    const call = errorOf(readSlot(10_000, gone.signal))
    await isPacked()
    gone.abort()
    expect(await call).toMatchObject({ kind: 'unavailable' })
    expect(await readSlot(10, never)).toContain(toHex(word(6)))
    expect(node.workerStats().call).toMatchObject({ workers: 1, replaced: 0 })
  })

  test('that is packed while the node stops is rejected', async () => {
    const call = errorOf(readSlot(10_000, never))
    await isPacked()
    await node.close()
    expect(await call).toMatchObject({ kind: 'unavailable' })
  })
})

test('what waits is rejected where no worker can start', async () => {
  const queue = { size: 8, waitMs: 60_000, setting: 'call-queue' }
  const pool = new WorkerPool(
    { workers: 1, queue, memoryMegabytes: 64, timeoutMs: 60_000, graceMs: 0 },
    { path: '/nowhere/chain.mdb', config: '{}' } as ConstructorParameters<typeof WorkerPool>[1], // what is read before it fails
  )
  const jobOptions = { timeoutMs: 60_000, graceMs: 0, timeoutError: refused('late'), endsWorker: false }
  const run = (): Promise<unknown> => pool.trace({} as TraceTask, never, jobOptions) // not reached
  try {
    const outcomes = await Promise.allSettled([run(), run()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(pool.stats()).toMatchObject({ busy: 0, waiting: 0, replaced: 1 })
  } finally {
    await pool.close()
  }
})
