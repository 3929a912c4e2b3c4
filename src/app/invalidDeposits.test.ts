import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deposits, withDepositContract } from '../../test/support/depositContract.ts'
import { proposeEntries } from '../../test/support/proposals.ts'
import { addressOf, createCandidate, testChainId } from '../../test/support/signedCandidates.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { createDevGenesis } from '../chain/genesis/devGenesis.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import { createEvm, type Evm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/host/evmModules.ts'
import { precompilesAt } from '../evm/precompiles/precompileTable.ts'
import { StateStore } from '../state/stateStore.ts'
import { BlockStore } from '../store/blockStore.ts'
import { Application } from './application.ts'

let folder: string
let environment: LmdbEnvironment
let app: Application

let executed = 0
const countingEvm = (evm: Evm): Evm => ({
  ...evm,
  createExecution: (context) => {
    const execution = evm.createExecution(context)
    const transact = execution.transact.bind(execution)
    execution.transact = (...args) => {
      executed++
      return transact(...args)
    }
    return execution
  },
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-deposits-'))
  environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
  const genesis = withDepositContract(
    createDevGenesis({
      chainId: testChainId,
      accounts: [0, 1].map((sender) => ({ address: addressOf(sender), balance: 10n ** 20n })),
      coinbase: new Uint8Array(20),
      timestamp: 100n,
    }),
  )
  app = new Application(genesis.config, {
    environment,
    state: new StateStore(environment),
    blocks: new BlockStore(environment),
    evm: countingEvm(createEvm(await loadEvmModules(), precompilesAt)),
  })
  await app.initChain(genesis)
})

afterAll(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

test('a transaction that makes the deposit contract log no deposit stops no decided block', () => {
  const bad = createCandidate(0, 0n, { to: deposits, gasLimit: 100_000n })
  const entries = proposeEntries(app, [bad, createCandidate(0, 1n), createCandidate(1, 0n)], { time: 105n })
  const { outcome, results } = app.finalizeDecided({
    height: 1,
    time: 105n,
    engineHash: new Uint8Array(32),
    entries,
  })
  // What comes after it in its account needs its nonce.
  expect(results.map(({ log }) => log)).toEqual(['', 'invalid deposit log', 'nonce too high', ''])
  expect(outcome.transactions).toHaveLength(1)
})

test('transactions that log no deposit are executed once each, and leave nothing', () => {
  const bad = Array.from({ length: 5 }, (_, nonce) =>
    createCandidate(0, BigInt(nonce), { to: deposits, gasLimit: 100_000n }),
  )
  const good = createCandidate(1, 0n)
  const decided = (candidates: readonly RecoveredTransaction[]) =>
    app.finalizeDecided({
      height: 1,
      time: 105n,
      engineHash: new Uint8Array(32),
      entries: proposeEntries(app, candidates, { time: 105n }),
    })
  const without = decided([good])
  executed = 0
  const { hash, outcome } = decided([...bad, good])
  expect(executed).toBe(6)
  expect(outcome.rejected).toHaveLength(5)
  expect(hash).toEqual(without.hash)
})
