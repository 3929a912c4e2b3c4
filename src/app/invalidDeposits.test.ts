import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proposeEntries } from '../../test/support/proposals.ts'
import { addressOf, createCandidate, testChainId } from '../../test/support/signedCandidates.ts'
import { concatBytes } from '../base/encoding/bytes.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { LmdbEnvironment } from '../base/lmdb.ts'
import { parseChainConfig } from '../chain/config/chainConfig.ts'
import { createDevGenesis } from '../chain/genesis/devGenesis.ts'
import { createGenesis, type Genesis } from '../chain/genesis/genesis.ts'
import { createEvm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/modules.ts'
import { precompilesAt } from '../evm/precompiles/table.ts'
import { StateStore } from '../state/store.ts'
import { BlockStore } from '../store/blockStore.ts'
import { Application } from './application.ts'

const deposits = new Uint8Array(20).fill(0xdd)
/** Logs an empty deposit, which no deposit contract does (PUSH32 topic, PUSH0, PUSH0, LOG1). */
const code = concatBytes(
  fromHex('0x7f649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'),
  fromHex('0x5f5fa100'),
)

let folder: string
let environment: LmdbEnvironment
let app: Application

const withDepositContract = (genesis: Genesis): Genesis => {
  const config = parseChainConfig({ ...genesis.config.source, depositContractAddress: toHex(deposits) })
  const { changes } = createGenesis(
    config,
    [{ address: deposits, balance: 0n, nonce: 1n, code, storage: [] }],
    genesis.header(new Uint8Array(32)),
  )
  return {
    ...genesis,
    config,
    changes: {
      accounts: [...genesis.changes.accounts, ...changes.accounts],
      code: [...genesis.changes.code, ...changes.code],
    },
  }
}

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
    evm: createEvm(await loadEvmModules(), precompilesAt),
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
