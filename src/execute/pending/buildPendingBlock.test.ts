import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addressOf, createCandidate, testChainId } from '../../../test/support/signedCandidates.ts'
import { Application } from '../../app/application.ts'
import { packTransactions } from '../../app/packing.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { parseGenesis } from '../../chain/genesis/genesis.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { createEvm } from '../../evm/evm.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { InterruptedError } from '../../evm/types.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { ExecutionBudget } from '../call/budget.ts'
import { buildPendingBlock } from './buildPendingBlock.ts'

const gasLimit = 10n ** 9n
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
  gasLimit: `0x${gasLimit.toString(16)}`,
  difficulty: '0x0',
  alloc: Object.fromEntries(
    [0, 1, 2].map((sender) => [toHex(addressOf(sender)), { balance: `0x${'f'.repeat(24)}` }]),
  ),
}

/** A creation whose code never ends before its gas does. */
const endless = createCandidate(1, 0n, {
  to: undefined,
  value: 0n,
  gasLimit: gasLimit - 1_000_000n,
  data: fromHex('0x5b5f56'),
})
const transfers = Array.from({ length: 5 }, (_, nonce) => createCandidate(0, BigInt(nonce)))

describe('a pending block for which there is little time', () => {
  let folder: string
  let environment: LmdbEnvironment
  let build: (candidates: readonly RecoveredTransaction[], budget: ExecutionBudget) => readonly number[]
  /** The clock moves whenever it is read, so that time is the number of polls. */
  let now: number

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-pending-'))
    environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
    const parsed = parseGenesis(JSON.stringify(genesis))
    const state = new StateStore(environment)
    const blocks = new BlockStore(environment, { appearances: false })
    const evm = createEvm(await loadEvmModules(), precompilesAt)
    const app = new Application(parsed.config, { environment, state, blocks, evm })
    await app.initChain(parsed)
    const { head } = app
    if (head === undefined) throw new Error('there is no genesis block')
    const attributes = {
      time: 105,
      beneficiary: new Uint8Array(20),
      engineHash: new Uint8Array(32),
      gasLimit,
    }
    build = (candidates, budget) =>
      buildPendingBlock(
        { state, blocks, evm, config: parsed.config },
        head,
        { attributes, transactions: packTransactions(candidates) },
        budget,
      ).included
    now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => ++now)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await environment.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const inTime = (milliseconds: number) => new ExecutionBudget({ deadline: () => milliseconds })

  test('has all transactions if there is enough', () => {
    expect(build(transfers, inTime(100_000))).toEqual([0, 1, 2, 3, 4])
  })

  test('has those before the one that takes too long', () => {
    const candidates = [...transfers.slice(0, 3), endless, ...transfers.slice(3)]
    expect(build(candidates, inTime(500))).toEqual([0, 1, 2])
    expect(now).toBeLessThan(500)
  })

  test('has none if the first takes too long', () => {
    expect(build([endless, ...transfers], inTime(500))).toEqual([])
  })

  test('is not built if nobody waits for it any more', () => {
    const budget = new ExecutionBudget({ deadline: () => (now > 50 ? 0 : 100_000) })
    expect(() => build([...transfers, endless], budget)).toThrow(InterruptedError)
    expect(now).toBeLessThan(100)
  })

  test('is left to another thread as a whole where this one has a gas budget', () => {
    const budget = new ExecutionBudget({ deadline: () => 500, gasBudget: 10n ** 8n })
    expect(() => build([...transfers, endless], budget)).toThrow(InterruptedError)
  })
})
