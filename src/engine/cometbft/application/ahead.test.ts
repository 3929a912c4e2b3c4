import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addressOf, createCandidate, testChainId } from '../../../../test/support/signedCandidates.ts'
import { Application } from '../../../app/application.ts'
import type { DecidedBlock } from '../../../app/proposal/decidedBlock.ts'
import { fromBigInt } from '../../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../../base/lmdb/lmdb.ts'
import { parseGenesis } from '../../../chain/genesis/genesis.ts'
import type { RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { encodeProposerEntry } from '../../../cosmos/transaction/proposerEntry.ts'
import { wrapTransaction } from '../../../cosmos/transaction/wrap.ts'
import { createEvm } from '../../../evm/evm.ts'
import { loadEvmModules } from '../../../evm/host/evmModules.ts'
import { precompilesAt } from '../../../evm/precompiles/precompileTable.ts'
import { createAppService } from '../../../node/application/service.ts'
import { AppThread } from '../../../node/application/thread.ts'
import { StateStore } from '../../../state/stateStore.ts'
import { BlockStore } from '../../../store/blockStore.ts'
import { AheadExecution } from './ahead.ts'

const gasLimit = 10n ** 14n
const reward = new Uint8Array(20).fill(0xcb)
const genesis = {
  config: {
    chainId: Number(testChainId),
    ...Object.fromEntries(
      ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
        .concat('berlin', 'london')
        .map((fork) => [`${fork}Block`, 0]),
    ),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
  },
  timestamp: '0x64',
  gasLimit: toHex(fromBigInt(gasLimit, 8)),
  difficulty: '0x0',
  alloc: Object.fromEntries(
    [0, 1].map((sender) => [toHex(addressOf(sender)), { balance: `0x${'f'.repeat(24)}` }]),
  ),
}

const optionsFor = (folder: string) => ({
  path: join(folder, 'chain.mdb'),
  pruning: 'archive' as const,
  appearances: false,
  // So that the gas limit, at which no block could be sure to end, is taken.
  producesBlocks: false,
  genesis: { kind: 'file' as const, text: JSON.stringify(genesis) },
})

/** A block of these transactions; `mark` makes its hash. */
const block = (candidates: readonly RecoveredTransaction[], mark: number, height = 1): DecidedBlock => ({
  height,
  time: 105n,
  engineHash: new Uint8Array(32).fill(mark),
  entries: [
    encodeProposerEntry({ height: BigInt(height), reward }),
    ...candidates.map(({ sender, ...sent }) => wrapTransaction({ ...sent, from: sender }, perihelionDialect)),
  ],
})

describe('a proposal is executed while the votes travel', () => {
  let folder: string
  let service: Awaited<ReturnType<typeof createAppService>>
  const wanted = new Int32Array(1)

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-ahead-'))
    wanted[0] = 1
    service = await createAppService({ ...optionsFor(folder), wantedProposal: wanted })
  })
  afterEach(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Resolves when what was scheduled has run. */
  const idle = (): Promise<void> => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)))

  /** Returns the response of an application that saw no proposal. */
  const freshResponse = async (...decided: readonly DecidedBlock[]): Promise<Uint8Array> => {
    const other = mkdtempSync(join(tmpdir(), 'perihelion-ahead-'))
    const fresh = await createAppService(optionsFor(other))
    let response: Uint8Array = new Uint8Array(0)
    for (const each of decided) {
      response = fresh.finalizeDecided(each)
      await fresh.commitDecided()
    }
    await fresh.close()
    rmSync(other, { recursive: true, force: true })
    return response
  }

  const first = block([createCandidate(0, 0n)], 1)
  const second = block([createCandidate(1, 0n), createCandidate(0, 0n)], 2)

  test('and its outcome is the response when it is decided', async () => {
    expect(service.processProposal(first, 1)).toBeUndefined()
    await idle()
    expect(service.finalizeDecided(first)).toEqual(await freshResponse(first))
    const { included, ahead } = await service.commitDecided()
    expect(ahead).toEqual({ used: 1, dropped: 0 })
    expect(included).toEqual([createCandidate(0, 0n).hash])
    // The next height starts over.
    const next = block([createCandidate(0, 1n)], 3, 2)
    expect(service.processProposal(next, 1)).toBeUndefined()
    await idle()
    expect(service.finalizeDecided(next)).toEqual(await freshResponse(first, next))
    expect((await service.commitDecided()).ahead).toEqual({ used: 2, dropped: 0 })
  })

  test('which is dropped when another block is decided', async () => {
    service.processProposal(first, 1)
    await idle()
    expect(service.finalizeDecided(second)).toEqual(await freshResponse(second))
    const { included, ahead } = await service.commitDecided()
    expect(included).toHaveLength(2)
    expect(ahead).toEqual({ used: 0, dropped: 1 })
  })

  test('also when that block differs by its hash, its time or its entries alone', async () => {
    for (const other of [
      { ...first, engineHash: second.engineHash },
      { ...first, time: 106n },
      { ...first, entries: second.entries },
    ]) {
      service.processProposal(first, 1)
      await idle()
      expect(service.finalizeDecided(other)).toEqual(await freshResponse(other))
    }
    expect((await service.commitDecided()).ahead).toEqual({ used: 0, dropped: 3 })
  })

  test('and the last round counts', async () => {
    service.processProposal(first, 1)
    await idle()
    service.processProposal(second, 1)
    await idle()
    expect(service.finalizeDecided(second)).toEqual(await freshResponse(second))
    expect(service.finalizeDecided(first)).toEqual(await freshResponse(first))
    expect((await service.commitDecided()).ahead).toEqual({ used: 1, dropped: 1 })
  })

  test('once, however often it is proposed', async () => {
    service.processProposal(first, 1)
    await idle()
    service.processProposal(first, 1)
    await idle()
    service.finalizeDecided(first)
    expect((await service.commitDecided()).ahead).toEqual({ used: 1, dropped: 0 })
  })

  test('not if it is rejected, not wanted any more, or decided before it began', async () => {
    const bad = { ...first, entries: first.entries.slice(1) }
    expect(service.processProposal(bad, 1)).toMatch('does not name the proposer')
    await idle()
    service.processProposal(first, 7)
    await idle()
    service.processProposal(first, 1)
    expect(service.finalizeDecided(first)).toEqual(await freshResponse(first))
    await idle()
    expect((await service.commitDecided()).ahead).toEqual({ used: 0, dropped: 0 })
  })

  test('and writes nothing', async () => {
    service.processProposal(first, 1)
    await idle()
    await expect(service.commitDecided()).rejects.toThrow('no block is finalized')
    await service.close()
    service = await createAppService({ ...optionsFor(folder), wantedProposal: wanted })
    expect(service.opened().isNew).toBe(false)
    expect(service.finalizeDecided(second)).toEqual(await freshResponse(second))
  })
})

/** A block with a creation whose code never ends before its gas does. */
const blockOfGas = (gas: bigint): DecidedBlock =>
  block([createCandidate(0, 0n, { to: undefined, value: 0n, gasLimit: gas, data: fromHex('0x5b5f56') })], 1)
const long = blockOfGas(10n ** 9n)
/** A block that takes more than a day: what waits for its end fails by the timeout of the test, on any machine. */
const endless = blockOfGas(gasLimit - 1_000_000n)
const short = block([createCandidate(1, 0n)], 2)

describe('an execution ahead', () => {
  let folder: string
  let environment: LmdbEnvironment
  let app: Application

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-ahead-'))
    environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
    const parsed = parseGenesis(JSON.stringify(genesis))
    app = new Application(parsed.config, {
      environment,
      state: new StateStore(environment),
      blocks: new BlockStore(environment, { appearances: false }),
      evm: createEvm(await loadEvmModules(), precompilesAt),
    })
    await app.initChain(parsed)
  })
  afterEach(async () => {
    await environment.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('ends within a transaction, as soon as it is not wanted', () => {
    const ahead = new AheadExecution(app)
    let polls = 0
    ahead.run(long, () => ++polls < 20)
    expect(polls).toBeLessThan(25)
    expect(app.isExecutedAhead(long)).toBe(false)
    expect(ahead.stats).toEqual({ used: 0, dropped: 1 })
    // What was given up leaves nothing behind.
    ahead.run(short, () => true)
    const { hash } = ahead.finalize(short).result
    expect(ahead.stats).toEqual({ used: 1, dropped: 1 })
    expect(app.finalizeDecided(short).hash).toEqual(hash)
  })

  test('control: it goes on while it is wanted', () => {
    const ahead = new AheadExecution(app)
    let polls = 0
    ahead.run(long, () => ++polls > 0)
    expect(polls).toBeGreaterThan(1000)
    expect(app.isExecutedAhead(long)).toBe(true)
    ahead.finalize(long)
    expect(ahead.stats).toEqual({ used: 1, dropped: 0 })
  })

  test('keeps one outcome, until the head moves', async () => {
    const ahead = new AheadExecution(app)
    const other = block([], 3)
    ahead.run(short, () => true)
    ahead.run(other, () => true)
    expect([short, other].map((each) => app.isExecutedAhead(each))).toEqual([false, true])
    app.finalizeDecided(short)
    expect(app.isExecutedAhead(other)).toBe(false)
    ahead.run(other, () => true)
    await app.commit()
    expect(app.isExecutedAhead(other)).toBe(false)
    expect(() => app.finalizeDecided(other)).toThrow('the next block is 2, not 1')
  })
})

describe('the thread of the application', () => {
  let folder: string
  let app: AppThread
  const timeout = 60_000

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-ahead-'))
    app = AppThread.start(optionsFor(folder))
    await app.open()
  })
  afterEach(async () => {
    await app.terminate()
    rmSync(folder, { recursive: true, force: true })
  })

  /**
   * Proposes a block and gives the thread the time to begin it. On a machine that is slower than that the thread may have
   * nothing to give up, and the tests pass all the same.
   */
  const begin = async (): Promise<void> => {
    expect(await app.processProposal(endless)).toBeUndefined()
    await setTimeout(200)
  }

  test('gives a proposal up at once when another block is decided', { timeout }, async () => {
    await begin()
    await app.finalizeDecided(short)
    expect((await app.commitDecided()).included).toEqual([createCandidate(1, 0n).hash])
    // Whether its execution had begun depends on the machine.
    expect(app.ahead.used).toBe(0)
  })

  test('gives it up at once for the proposal of the next round', { timeout }, async () => {
    await begin()
    expect(await app.processProposal(short)).toBeUndefined()
    await app.finalizeDecided(short)
    expect((await app.commitDecided()).included).toEqual([createCandidate(1, 0n).hash])
  })

  test('gives it up at once when the node stops', { timeout }, async () => {
    await begin()
    await app.close()
  })
})
