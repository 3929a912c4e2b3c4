import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toHex } from '../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { headerHash } from '../../src/chain/block/header.ts'
import { systemContracts } from '../../src/chain/config/systemContracts.ts'
import { createDevGenesis } from '../../src/chain/genesis/devGenesis.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { StoreCheck } from '../../src/store/check/storeCheck.ts'
import { hasOfficialChain, officialBlocks, officialGenesis } from './officialChain.ts'
import { executionApisMissing } from './officialSuites.ts'

describe('a genesis, its state and the first block in one commit', () => {
  let folder: string
  let environment: LmdbEnvironment
  let state: StateStore
  let store: BlockStore

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-genesis-'))
    environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
    state = new StateStore(environment)
    store = new BlockStore(environment)
  })

  afterEach(async () => {
    await environment.close()
    rmSync(folder, { recursive: true })
  })

  test('the official genesis has the state root that its chain begins with', async (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const genesis = officialGenesis()
    const prepared = state.prepare(0, genesis.changes)
    const header = genesis.header(prepared.root)
    expect(toHex(headerHash(header))).toBe(toHex(officialBlocks()[0]?.header.parentHash as Uint8Array))
    const rows = encodeBlockRows({
      header,
      hash: headerHash(header),
      transactions: [],
      ommers: [],
      withdrawals: undefined,
      blobGasPrice: undefined,
    })
    await environment.transact(() => {
      prepared.write()
      store.initialize(rows, JSON.stringify(genesis.config.source))
    })
    expect(store.head()?.number).toBe(state.head?.height)
    expect(toHex(store.header(0)?.stateRoot as Uint8Array)).toBe(toHex(state.rootAt(0)))
    expect([...new StoreCheck(store, environment).run()]).toEqual([])
  })

  test('the dev genesis has its accounts and the system contracts', () => {
    const address = new Uint8Array(20).fill(7)
    const genesis = createDevGenesis({
      chainId: 31_337n,
      accounts: [{ address, balance: 10n ** 22n }],
      coinbase: new Uint8Array(20).fill(9),
      timestamp: 1_700_000_000n,
    })
    const prepared = state.prepare(0, genesis.changes)
    expect(genesis.header(prepared.root)).toMatchObject({
      gasLimit: 60_000_000n,
      baseFeePerGas: 1_000_000_000n,
      timestamp: 1_700_000_000n,
      beneficiary: new Uint8Array(20).fill(9),
    })
    const named = genesis.changes.accounts.map((account) => toHex(account.address))
    expect(named).toEqual([
      ...Object.values(systemContracts).map((contract) => toHex(contract.address)),
      toHex(address),
    ])
    expect(genesis.changes.accounts.at(-1)?.account?.balance).toBe(10n ** 22n)
  })
})
