import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { nodeOptions } from '../../../test/support/nodeOptions.ts'
import { addressOf, createCandidate } from '../../../test/support/signedCandidates.ts'
import type { AppHead } from '../../app/appHead.ts'
import { createLogger } from '../../base/logging/log.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { soloEngine } from '../../engine/solo/engine.ts'
import { UnknownHeightError } from '../../state/stateStore.ts'
import { type Node, startNode } from '../node.ts'
import { RevertWatch } from '../reverting/revertWatch.ts'
import { PendingBlocks } from './pendingBlocks.ts'

/** Messages to threads are recorded by the name of the call, and held back for the names in `held`. */
const holdMessages = (held: ReadonlySet<string>) => {
  const names: string[] = []
  const waiting: (() => void)[] = []
  const post = Worker.prototype.postMessage
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message: unknown) {
    const { name } = message as { readonly name: string }
    names.push(name)
    if (held.has(name)) waiting.push(() => post.call(this, message))
    else post.call(this, message)
  })
  return {
    names,
    count: (name: string) => names.filter((posted) => posted === name).length,
    release: () => {
      for (const deliver of waiting.splice(0)) deliver()
    },
  }
}

const gas = 1_000_000n
const longTransaction = (nonce: bigint): Uint8Array => createCandidate(0, nonce, { gasLimit: gas }).raw

describe('pending blocks', () => {
  let folder: string
  let node: Node

  const start = async (blockTimeMs: number | undefined): Promise<Chain> => {
    const options = nodeOptions(folder, [{ address: addressOf(0), balance: 10n ** 20n }])
    node = await startNode(
      {
        ...options,
        engine: soloEngine({ blockTimeMs, createEmptyBlocks: false }, { onFatal: () => {} }),
        jsonRpc: { ...options.jsonRpc, callQueue: 100, inlineTime: 10_000, evmTimeout: 100_000 },
      },
      createLogger('silent'),
    )
    return node.chain
  }
  const never = 10 ** 8

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-pending-'))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    vi.useRealTimers()
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a flood of reads asks nothing of the application thread, and a block is committed meanwhile', async () => {
    const messages = holdMessages(new Set(['run']))
    const chain = await start(500)
    await chain.pool.submit(longTransaction(0n))
    // The first build starts before the block of the interval comes, and never ends.
    const reads = Array.from({ length: 1000 }, () => chain.blocks.pending())
    await eventually(() => messages.count('run') === 1)
    await eventually(() => chain.head().number === 1)
    // The warnings of forks are read from the state after a block, once.
    const asked = new Set(messages.names.filter((name) => name !== 'findForkWarnings'))
    expect([...asked].sort()).toEqual(['open', 'produceBlock', 'ready', 'run'])
    expect(messages.count('run')).toBe(1)
    // The head has moved: who asks now wants another block, and the old build is given up.
    const fresh = chain.blocks.pending()
    messages.release()
    expect((await fresh).transactionCount).toBe(0)
    for (const block of await Promise.all(reads)) expect(block.transactionCount).toBe(0)
  })

  test('control: a block does wait for what the application thread is asked', async () => {
    const messages = holdMessages(new Set(['produceBlock']))
    const chain = await start(50)
    await chain.pool.submit(longTransaction(0n))
    await eventually(() => messages.count('produceBlock') === 1)
    expect((await chain.blocks.pending()).transactionCount).toBe(1)
    expect(chain.head().number).toBe(0)
    messages.release()
    await eventually(() => chain.head().number === 1)
  })

  /** Time is frozen, so that no build gets old on a busy machine. */
  const freezeTime = (): void => void vi.useFakeTimers({ toFake: ['Date'] })

  test('a block is built once for a head and a content of the pool', async () => {
    freezeTime()
    const messages = holdMessages(new Set())
    const chain = await start(never)
    await chain.pool.submit(longTransaction(0n))
    for (let read = 0; read < 20; read++) expect((await chain.blocks.pending()).transactionCount).toBe(1)
    expect(messages.count('run')).toBe(1)
    await chain.pool.submit(longTransaction(1n))
    for (let read = 0; read < 20; read++) expect((await chain.blocks.pending()).transactionCount).toBe(2)
    expect(messages.count('run')).toBe(2)
  })

  test('many changes of the pool while one is built cause one more, which has them all', async () => {
    freezeTime()
    const messages = holdMessages(new Set(['run']))
    const chain = await start(never)
    await chain.pool.submit(longTransaction(0n))
    const first = chain.blocks.pending()
    const later: ReturnType<typeof chain.blocks.pending>[] = []
    for (let nonce = 1n; nonce < 10n; nonce++) {
      await chain.pool.submit(longTransaction(nonce))
      later.push(chain.blocks.pending())
    }
    await eventually(() => messages.count('run') === 1)
    messages.release()
    expect((await first).transactionCount).toBe(1)
    await eventually(() => messages.count('run') === 2)
    messages.release()
    for (const block of await Promise.all(later)) expect(block.transactionCount).toBe(10)
    expect(messages.count('run')).toBe(2)
  })

  test('one whose time is some seconds ago is built again', async () => {
    freezeTime()
    const chain = await start(never)
    const timeOf = async (): Promise<number> => {
      const block = await chain.blocks.pending()
      return Number(
        (JSON.parse(Buffer.from(block.headerJson()).toString()) as { timestamp: string }).timestamp,
      )
    }
    const first = await timeOf()
    vi.setSystemTime(Date.now() + 1_000)
    expect(await timeOf()).toBe(first)
    vi.setSystemTime(Date.now() + 3_600_000)
    expect(await timeOf()).toBe(first + 3_601)
  })

  test('a small block is built on this thread and is the same', async () => {
    const messages = holdMessages(new Set())
    const chain = await start(never)
    await chain.pool.submit(createCandidate(0, 0n).raw)
    const small = await chain.blocks.pending()
    expect(small.transactionCount).toBe(1)
    expect(messages.count('run')).toBe(0)
    const header = JSON.parse(Buffer.from(small.headerJson()).toString()) as Record<string, unknown>
    expect(header).toMatchObject({ number: '0x1', gasUsed: '0x5208' })
  })

  test('a build that fails is not kept', async () => {
    const chain = await start(never)
    await chain.pool.submit(longTransaction(0n))
    const post = Worker.prototype.postMessage
    const spy = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (
      this: Worker,
      message,
    ) {
      const { name } = message as { readonly name: string }
      post.call(this, name === 'run' ? { ...message, name: 'no such call' } : message)
    })
    await expect(chain.blocks.pending()).rejects.toThrow('no such call')
    spy.mockRestore()
    expect((await chain.blocks.pending()).transactionCount).toBe(1)
  })
})

test('a block whose parent is being reverted is built on the head that follows', async () => {
  let number = 17n
  const reverts = new RevertWatch()
  const blocks = new PendingBlocks({
    executor: { buildPendingBlock: () => Promise.reject(new Error('not reached')) },
    producer: {
      coinbase: new Uint8Array(20),
      propose: () => expect.fail('not reached'),
      nextTime: () => 0,
      version: 0,
    },
    state: {
      reader: (height) => {
        if (height > 12) throw new UnknownHeightError(height, 0, 12)
        throw new Error(`asked for ${height}`)
      },
      edits: () => expect.fail('not reached'),
      newestEdit: () => 0,
    },
    head: () => ({ header: { number }, hash: Uint8Array.of(Number(number)) }) as unknown as AppHead,
    reverts,
    poolVersion: () => 0,
  })
  let end = (): void => {}
  void reverts.watch(async () => {
    await new Promise<void>((resolve) => {
      end = resolve
    })
    number = 12n
  })
  const pending = blocks.get()
  end()
  await expect(pending).rejects.toThrow('asked for 12')
})
