import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { StateStore } from '../../state/stateStore.ts'
import { openStateView } from './editedStateView.ts'

const address = new Uint8Array(20).fill(1)
const firstKey = new Uint8Array(32)
const changesTo = (balance: bigint) => ({
  accounts: [
    { address, account: { nonce: 1n, balance, codeHash: emptyCodeHash }, storageCleared: false, storage: [] },
  ],
  code: [],
})

let directory: string
let environment: LmdbEnvironment
let store: StateStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'perihelion-view-'))
  environment = new LmdbEnvironment({ path: join(directory, 'state.mdb'), minFreeBytes: 0 })
  store = new StateStore(environment)
  await store.commit(0, changesTo(1n))
  await store.commit(1, changesTo(2n))
})
afterEach(async () => {
  await environment.close()
  rmSync(directory, { recursive: true })
})

test('pages are of one state: after its block was removed the next one is rejected', async () => {
  const view = openStateView(store, 1)
  expect(view.accounts(firstKey, 1)).toMatchObject({ accounts: [{ balance: 2n }] })
  await store.commit(2, changesTo(3n))
  expect(view.accounts(firstKey, 1)).toMatchObject({ accounts: [{ balance: 2n }] })
  await store.revert(0)
  await store.commit(1, changesTo(4n))
  for (const read of [
    () => view.accounts(firstKey, 1),
    () => view.slots(address, firstKey, 1),
    () => view.code(address),
  ])
    expect(read).toThrow('blocks were reverted while their state was read; try again')
  expect(openStateView(store, 1).accounts(firstKey, 1)).toMatchObject({ accounts: [{ balance: 4n }] })
})
