import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventually } from '../../test/support/eventually.ts'
import { nodeOptions } from '../../test/support/nodeOptions.ts'
import { addressOf, createCandidate } from '../../test/support/signedCandidates.ts'
import { slow } from '../../test/support/slow.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { createLogger } from '../base/logging/log.ts'
import type { Chain } from '../chain/port/chain.ts'
import { soloEngine } from '../engine/solo/engine.ts'
import { OverlapChoice } from './application/overlap.ts'
import { type Node, startNode } from './node.ts'

/** A chain on demand whose disk is slow, so that each block that others wait behind is on its way while the next is made. */

const senders = 8
const each = 25
/** Enough for a base fee that rises with each block. */
const maxFeePerGas = 10n ** 13n

let folder: string
let node: Node

/** What the disk did: blocks that were told of before they were synced, the height that is synced, and a failure to come. */
const disk = { behind: 0, synced: 0, failNext: undefined as 'at once' | 'later' | undefined, failed: 0 }

const start = async (): Promise<Chain> => {
  const accounts = Array.from({ length: senders }, (_, sender) => ({
    address: addressOf(sender),
    balance: 10n ** 20n,
  }))
  const options = nodeOptions(folder, accounts)
  if (options.genesis.kind !== 'dev') throw new Error('a dev chain is needed')
  // Blocks of some transactions each, so that others always wait.
  const genesis = { ...options.genesis, options: { ...options.genesis.options, gasLimit: 150_000n } }
  node = await startNode(
    {
      ...options,
      genesis,
      isEphemeral: false,
      isSingleThreaded: true,
      engine: soloEngine({ blockTimeMs: undefined, createEmptyBlocks: false }, { onFatal: () => {} }),
    },
    createLogger('silent'),
  )
  return node.chain
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-overlap-'))
  Object.assign(disk, { behind: 0, synced: 0, failNext: undefined, failed: 0 })
  let isBehind = false
  vi.spyOn(OverlapChoice.prototype, 'isWorthwhile').mockImplementation(({ waiting }) => {
    isBehind = waiting > 0
    if (isBehind) disk.behind++
    return isBehind
  })
  const transact = LmdbEnvironment.prototype.transact
  vi.spyOn(LmdbEnvironment.prototype, 'transact').mockImplementation(async function (
    this: LmdbEnvironment,
    work: () => void,
  ) {
    if (disk.failNext !== undefined && isBehind) {
      const turnsLeft = disk.failNext === 'later' ? 40 : 0
      disk.failNext = undefined
      disk.failed++
      for (let turns = 0; turns < turnsLeft; turns++) await turn()
      throw new Error('the disk has a bad day')
    }
    await transact.call(this, work)
    for (let turns = 0; turns < 40; turns++) await turn()
    disk.synced++
  })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await node.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Sends all transactions of all senders in turn, and returns the heights that were seen before they were synced. */
const sendAll = async (chain: Chain): Promise<readonly number[]> => {
  const first = disk.synced
  const seenTooEarly: number[] = []
  let isDone = false
  const watch = async (): Promise<void> => {
    while (!isDone) {
      const { number } = chain.head()
      if (number > disk.synced - first) seenTooEarly.push(number)
      await turn()
    }
  }
  const watched = watch()
  const sent: Promise<unknown>[] = []
  for (let nonce = 0n; nonce < BigInt(each); nonce++)
    for (let sender = 0; sender < senders; sender++) {
      sent.push(chain.pool.submit(createCandidate(sender, nonce, { maxFeePerGas }).raw))
      if (sender === 0) await turn()
    }
  await Promise.all(sent)
  await eventually(() => chain.pool.counts().pending === 0)
  isDone = true
  await watched
  return seenTooEarly
}

/** Returns the number of transactions of all blocks. */
const countIncluded = (chain: Chain): number => {
  let included = 0
  for (let number = 1; number <= chain.head().number; number++)
    included += chain.blocks.transactionCount(number) ?? 0
  return included
}

test('transactions are in a block once, and no block is seen before it is on the disk', slow, async () => {
  const chain = await start()
  expect(await sendAll(chain)).toEqual([])
  expect(disk.behind).toBeGreaterThan(3)
  expect(countIncluded(chain)).toBe(senders * each)
})

test.each(['at once', 'later'] as const)(
  'a block that cannot be written takes the one on top of it along, and both are made again (%s)',
  slow,
  async (when) => {
    const chain = await start()
    disk.failNext = when
    expect(await sendAll(chain)).toEqual([])
    expect(disk.failed).toBe(1)
    expect(countIncluded(chain)).toBe(senders * each)
  },
)
