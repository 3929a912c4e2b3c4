import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256 } from '../base/crypto/crypto.ts'
import { toHex } from '../base/encoding/hex.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { emptyCodeHash, type StateChanges } from '../chain/state/evmState.ts'
import { checkState } from './check/stateCheck.ts'
import { heightsLimit, type PruningMode } from './history/prune.ts'
import { copy } from './rows/rows.ts'
import { type PreparedState, StateStore } from './stateStore.ts'
import { stateTableNames } from './stateTables.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const word = (byte: number): Uint8Array => new Uint8Array(32).fill(byte, 31)

/** Few accounts and slots, so that blocks change, delete and make again what those before them did. */
const blocks = fc.array(
  fc.uniqueArray(
    fc.record({
      byte: fc.integer({ min: 1, max: 6 }),
      kind: fc.constantFrom('set', 'delete', 'clear', 'code'),
      balance: fc.bigInt({ min: 0n, max: 3n }),
      slots: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 2 })), {
        selector: ([slot]) => slot,
      }),
    }),
    { selector: ({ byte }) => byte, maxLength: 5 },
  ),
  { minLength: 2, maxLength: 24 },
)

const codeOf = (byte: number, balance: bigint): Uint8Array => Uint8Array.of(byte, Number(balance), 0xfe)

type Block = readonly {
  readonly byte: number
  readonly kind: string
  readonly balance: bigint
  readonly slots: readonly (readonly [number, number])[]
}[]

const toChanges = (block: Block): StateChanges => ({
  accounts: block.map(({ byte, kind, balance, slots }) => ({
    address: address(byte),
    account:
      kind === 'delete'
        ? undefined
        : {
            nonce: 1n,
            balance,
            codeHash: kind === 'code' ? keccak256(codeOf(byte, balance)) : emptyCodeHash,
          },
    storageCleared: kind === 'delete' || kind === 'clear',
    storage: kind === 'delete' ? [] : slots.map(([slot, value]) => [word(slot), word(value)] as const),
  })),
  code: block.flatMap(({ byte, kind, balance }) => {
    const code = codeOf(byte, balance)
    return kind === 'code' ? [[keccak256(code), code] as const] : []
  }),
})

const dump = (environment: LmdbEnvironment): readonly string[] =>
  [...stateTableNames.sorted, ...stateTableNames.plain].flatMap((name) => {
    const isSorted = (stateTableNames.sorted as readonly string[]).includes(name)
    const table = isSorted ? environment.sortedTable(name) : environment.table(name)
    return [...table.getRange({})].map(
      ({ key, value }) => `${name} ${toHex(copy(key, 0, key.length))} ${toHex(copy(value, 0, value.length))}`,
    )
  })

const withStore = async <T>(
  pruning: PruningMode,
  use: (store: StateStore, environment: LmdbEnvironment) => Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-unsynced-'))
  const environment = new LmdbEnvironment({
    path: join(folder, 'state.mdb'),
    minFreeBytes: 0,
    isDurable: false,
  })
  try {
    return await use(new StateStore(environment, { pruning }), environment)
  } finally {
    await environment.close()
    rmSync(folder, { recursive: true })
  }
}

/** Returns everything that can be read of the accounts at a height. */
const readAll = (store: StateStore, height: number) => {
  const reader = store.reader(height)
  return [1, 2, 3, 4, 5, 6].map((byte) => {
    const account = reader.account(address(byte))
    const slots = [1, 2, 3, 4, 5, 6, 7, 8].map((slot) => reader.storage(address(byte), word(slot)))
    return { account, slots, code: account && reader.code(account.codeHash) }
  })
}

test.each(['archive', 'everything'] as const)(
  'a block that is prepared on one that is on its way to the disk is as if that were there (%s)',
  async (pruning) => {
    await fc.assert(
      fc.asyncProperty(blocks, async (list) => {
        const all = list.map(toChanges)
        const expected = await withStore(pruning, async (store, environment) => {
          const reads = []
          for (const [height, changes] of all.entries()) {
            await store.commit(height, changes)
            reads.push(readAll(store, height))
          }
          return { rows: dump(environment), reads, root: store.head?.root, oldest: store.oldest }
        })
        await withStore(pruning, async (store, environment) => {
          let before: PreparedState | undefined
          const reads = []
          const settle = async (): Promise<void> => {
            if (before !== undefined) await environment.transact(before.write)
            before = undefined
            store.setUnsynced(undefined)
          }
          for (const [height, changes] of all.entries()) {
            const prepared = store.prepare(height, changes)
            const hasBefore = before !== undefined
            await settle()
            before = prepared
            store.setUnsynced(prepared.rows())
            reads.push(readAll(store, height))
            // What is older is read from the file.
            if (hasBefore) expect(readAll(store, height - 1)).toEqual(expected.reads[height - 1])
            if (height % heightsLimit === 0) await settle()
          }
          await settle()
          expect(reads).toEqual(expected.reads)
          expect(store.head?.root).toEqual(expected.root)
          expect(checkState(store, 100).problems).toEqual([])
          if (pruning === 'archive') expect(dump(environment)).toEqual(expected.rows)
          else expect(store.oldest).toBeGreaterThanOrEqual((expected.oldest ?? 0) - heightsLimit)
        })
      }),
      { numRuns: 60 },
    )
  },
)
