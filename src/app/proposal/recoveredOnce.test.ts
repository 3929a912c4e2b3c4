import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTestPool, testHead } from '../../../test/support/pool.ts'
import { proposeEntries } from '../../../test/support/proposals.ts'
import { addressOf, createCandidate, testChainId } from '../../../test/support/signedCandidates.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { createDevGenesis } from '../../chain/genesis/devGenesis.ts'
import { createEvm } from '../../evm/evm.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { TransactionSubmitter } from '../../pool/admission/transactionSubmitter.ts'
import { defaultRecoverySettings, SenderRecovery } from '../../pool/recovery/senderRecovery.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { Application } from '../application.ts'
import { toBlockInputs } from '../blockInputs.ts'
import { packTransactions, unpackCandidates } from '../packing.ts'
import { SenderHintBatch } from './knownSenders.ts'

/** The native functions, as every module of this process calls them. */
const addon = createRequire(import.meta.url)('secp256k1/bindings.js') as {
  ecdsaRecover: (...args: unknown[]) => unknown
}
const { ecdsaRecover } = addon
const reward = new Uint8Array(20).fill(0xab)
const modules = await loadEvmModules()
const genesis = createDevGenesis({
  chainId: testChainId,
  accounts: [0, 1, 2].map((sender) => ({ address: addressOf(sender), balance: 10n ** 20n })),
  coinbase: new Uint8Array(20),
  timestamp: 100n,
})

let folder: string
let environment: LmdbEnvironment
let app: Application
let submitter: TransactionSubmitter
let recoveries: number
let pool: ReturnType<typeof createTestPool>['pool']

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-recovered-'))
  environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
  app = new Application(genesis.config, {
    environment,
    state: new StateStore(environment),
    blocks: new BlockStore(environment),
    evm: createEvm(modules, precompilesAt),
  })
  await app.initChain(genesis)
  ;({ pool } = createTestPool({ head: { ...testHead, chainId: testChainId } }))
  // Each in place, where they can be counted.
  const recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline: 1_000 })
  submitter = new TransactionSubmitter({ pool, recovery, journal: undefined, onJournalError: () => {} })
  recoveries = 0
  addon.ecdsaRecover = (...args) => {
    recoveries++
    return ecdsaRecover(...args)
  }
})

afterEach(async () => {
  addon.ecdsaRecover = ecdsaRecover
  await submitter.close()
  await environment.close()
  rmSync(folder, { recursive: true })
})

const candidates = [createCandidate(0, 0n), createCandidate(1, 0n), createCandidate(0, 1n)]
const submitAll = () => Promise.all(candidates.map(({ raw }) => submitter.submit(raw, true)))

it('a transaction of the pool is recovered once for a block of this node, however often it is sent', async () => {
  await submitAll()
  await submitAll()
  const sent = unpackCandidates(packTransactions([...pool.transactions()]))
  const { header, hash } = app.head as NonNullable<typeof app.head>
  const decision = { time: 105, beneficiary: reward, engineHash: hash, gasLimit: header.gasLimit }
  const { outcome } = app.executeBlock(toBlockInputs(header, hash, decision), sent)
  expect(outcome.transactions).toHaveLength(candidates.length)
  expect(recoveries).toBe(candidates.length)
})

const decide = (hints: SenderHintBatch) => {
  const entries = proposeEntries(app, candidates, { time: 105n, reward })
  const block = {
    height: 1,
    time: 105n,
    engineHash: new Uint8Array(32).fill(1),
    entries,
    senders: hints.take(),
  }
  expect(app.processProposal(block)).toMatchObject({ accepted: true })
  return app.finalizeDecided({ ...block, senders: hints.take() })
}

it('a transaction of the pool is recovered once for a proposal and its block', async () => {
  const hints = new SenderHintBatch()
  submitter.onRecovered = (...recovered) => hints.add(...recovered)
  await submitAll()
  const known = decide(hints)
  expect(known.outcome.transactions).toHaveLength(candidates.length)
  expect(recoveries).toBe(candidates.length)
  // A node that did not have them comes to the same.
  expect(decide(new SenderHintBatch()).hash).toEqual(known.hash)
})

it('a transaction that this node did not have is recovered once for its proposal', () => {
  const { outcome } = decide(new SenderHintBatch())
  expect(outcome.transactions).toHaveLength(candidates.length)
  expect(recoveries).toBe(candidates.length)
})

it('what was recovered by the rules of another fork is recovered again', () => {
  const hints = new SenderHintBatch()
  const wrong = addressOf(2)
  for (const { hash } of candidates) hints.add(hash, wrong, 'frontier' satisfies Fork)
  decide(hints)
  expect(recoveries).toBe(candidates.length)
})
