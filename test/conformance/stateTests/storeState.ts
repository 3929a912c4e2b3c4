import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equalBytes } from '../../../src/base/encoding/bytes.ts'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { type GenesisAccount, toStateChanges } from '../../../src/chain/genesis/genesisAccount.ts'
import { type AccountChange, emptyCodeHash, type StateChanges } from '../../../src/chain/state/evmState.ts'
import type { TestState } from '../../../src/evm/stateTest/inMemoryState.ts'
import { StateStore } from '../../../src/state/stateStore.ts'

/** States for state tests in the real store: read from LMDB, rooted by its trie, taken back by its undo. */
export class TestStore {
  readonly #folder = mkdtempSync(join(tmpdir(), 'perihelion-statetest-'))
  readonly #environment = new LmdbEnvironment({ path: join(this.#folder, 'state.mdb') })
  readonly #store = new StateStore(this.#environment)

  async open(): Promise<void> {
    await this.#store.commit(0, { accounts: [], code: [] })
  }

  /** Puts the accounts there for as long as `use` runs; each world it asks for begins with them. */
  async with<T>(accounts: readonly GenesisAccount[], use: (createWorld: () => TestState) => T): Promise<T> {
    await this.#store.commit(1, toStateChanges(accounts))
    try {
      return use(() => this.#createWorld())
    } finally {
      await this.#store.revert(0)
    }
  }

  async close(): Promise<void> {
    await this.#environment.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #createWorld(): TestState {
    const reader = this.#store.reader(1)
    const accounts = new Map<string, AccountChange>()
    let code: StateChanges['code'] = []
    const put = (change: AccountChange): void =>
      void accounts.set(Buffer.from(change.address).toString('hex'), change)
    return {
      account: (address) => reader.account(address),
      storage: (address, slot) => reader.storage(address, slot),
      code: (codeHash) => reader.code(codeHash),
      hasStorage: (address) => reader.hasStorage(address),
      apply: (changes) => {
        for (const change of changes.accounts) put(change)
        code = [...code, ...changes.code]
      },
      touch: (address, deletesEmpty) => {
        const changed = accounts.get(Buffer.from(address).toString('hex'))
        const account = changed === undefined ? reader.account(address) : changed.account
        const nothing = { storageCleared: false, storage: [] }
        if (account === undefined) {
          const made = { nonce: 0n, balance: 0n, codeHash: emptyCodeHash }
          if (!deletesEmpty) put({ ...nothing, address, account: made })
          return
        }
        const isEmpty =
          account.nonce === 0n && account.balance === 0n && equalBytes(account.codeHash, emptyCodeHash)
        if (deletesEmpty && isEmpty) put({ ...nothing, address, account: undefined })
      },
      stateRoot: () => this.#store.prepare(2, { accounts: [...accounts.values()], code }).root,
    }
  }
}
