import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromBigInt } from '../../base/encoding/bytes.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import {
  type AccountChange,
  type EvmStateReader,
  emptyCodeHash,
  type StateChanges,
} from '../../chain/state/evmState.ts'
import { mergeChanges, noChanges } from '../../chain/state/mergeChanges.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import { checkState } from '../check/stateCheck.ts'
import { StateStore } from '../stateStore.ts'
import { decodeEdit, encodeEdit } from './editCodec.ts'
import { editTableName } from './edits.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const word = (value: number): Uint8Array => fromBigInt(BigInt(value), 32)

const change = (
  byte: number,
  balance: bigint,
  slots: Readonly<Record<number, number>> = {},
): AccountChange => ({
  address: address(byte),
  account: { nonce: 1n, balance, codeHash: emptyCodeHash },
  storageCleared: false,
  storage: Object.entries(slots).map(([slot, value]) => [word(Number(slot)), word(value)]),
})

const changes = (...accounts: AccountChange[]): StateChanges => ({ accounts, code: [] })

let folder: string
let environment: LmdbEnvironment
let store: StateStore

const edit = (...accounts: AccountChange[]): Promise<void> =>
  environment.transact(store.prepareEdit(changes(...accounts)))

const balanceOf = (state: EvmStateReader, byte: number): bigint | undefined =>
  state.account(address(byte))?.balance

const problems = (): readonly string[] => checkState(store, Number.POSITIVE_INFINITY).problems

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-edits-'))
  environment = new LmdbEnvironment({ path: join(folder, 'state.mdb'), minFreeBytes: 0 })
  store = new StateStore(environment)
  await store.commit(0, changes(change(1, 5n, { 1: 1, 2: 2 })))
})
afterEach(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

test('the head shows an edit, the next state holds it, and the height below does not any more', async () => {
  const root = store.rootAt(0)
  await edit(change(1, 7n, { 2: 9 }), change(2, 3n))
  expect(store.rootAt(0)).toEqual(root)
  expect(store.isEdited(0)).toBe(true)
  expect(balanceOf(store.reader(0), 1)).toBe(5n)
  expect(balanceOf(store.currentState(0), 1)).toBe(7n)
  expect(store.currentState(0).storage(address(1), word(2))).toEqual(word(9))
  expect(store.currentState(0).storage(address(1), word(1))).toEqual(word(1))

  await store.commit(1, changes(change(3, 1n)))
  expect(store.isEdited(0)).toBe(false)
  expect(balanceOf(store.currentState(0), 1)).toBe(5n)
  expect(balanceOf(store.parentState(0), 1)).toBe(7n)
  expect(balanceOf(store.currentState(1), 1)).toBe(7n)
  expect(balanceOf(store.currentState(1), 2)).toBe(3n)
  expect(store.reader(1).storage(address(1), word(2))).toEqual(word(9))
  expect(problems()).toEqual([])
})

test('the head shows an edit until its clients know of the next one', async () => {
  await edit(change(1, 7n))
  store.servedHead = 0
  await store.commit(1, changes(change(3, 1n)))
  expect(store.isEdited(0)).toBe(true)
  expect(balanceOf(store.currentState(0), 1)).toBe(7n)
  store.servedHead = 1
  expect(store.isEdited(0)).toBe(false)
  expect(balanceOf(store.currentState(0), 1)).toBe(5n)
})

test('the root of the next state is that of all changes in one block', async () => {
  await edit(change(1, 7n, { 2: 9 }))
  await edit(change(1, 8n, { 3: 4 }), change(2, 3n, { 5: 5 }))
  const expected = store.rootAfter(0, changes(change(1, 8n, { 2: 9, 3: 4 }), change(2, 4n, { 5: 5 })))
  await store.commit(1, changes(change(2, 4n)))
  expect(store.rootAt(1)).toEqual(expected)
})

test('a revert removes edits as far as requested', async () => {
  await edit(change(1, 7n))
  const first = store.newestEdit(0)
  await edit(change(1, 8n))
  await store.commit(1, noChanges)
  await edit(change(1, 9n))
  await environment.transact(store.prepareRevert(0, first))
  expect(balanceOf(store.currentState(0), 1)).toBe(7n)
  await edit(change(2, 1n))
  expect(store.newestEdit(0)).toBeGreaterThan(first + 2)
  expect(balanceOf(store.currentState(0), 1)).toBe(7n)
  expect(balanceOf(store.currentState(0), 2)).toBe(1n)
  await environment.transact(store.prepareRevert(0))
  expect(balanceOf(store.currentState(0), 1)).toBe(5n)
  expect(store.newestEdit(0)).toBe(0)
  expect(problems()).toEqual([])
})

test('edits of states that are pruned are gone', async () => {
  await environment.close()
  environment = new LmdbEnvironment({ path: join(folder, 'state.mdb'), minFreeBytes: 0 })
  store = new StateStore(environment, { pruning: 'everything' })
  await edit(change(1, 7n))
  for (let height = 1; height <= 40; height++) await store.commit(height, changes(change(2, BigInt(height))))
  expect(store.oldest).toBeGreaterThan(0)
  expect(store.newestEdit(0)).toBe(0)
  expect(problems()).toEqual([])
})

test('a damaged edit is reported', async () => {
  const code = Uint8Array.of(1, 2, 3)
  await edit({ ...change(1, 7n), account: { nonce: 0n, balance: 1n, codeHash: keccak256(code) } })
  expect(problems()).toEqual(['the code of a change of height 0 is missing'])
})

test('reads of a chain that never had an edit do not look for one', async () => {
  const scan = vi.spyOn(environment.table(editTableName), 'getKeys')
  const readAll = (): void => {
    store.currentState(0)
    store.parentState(0)
    store.edits(0)
    expect(store.newestEdit(0)).toBe(0)
    expect(store.isEdited(0)).toBe(false)
  }
  readAll()
  expect(scan).not.toHaveBeenCalled()

  // Once there was one, they look, also after a revert.
  await edit(change(1, 7n))
  expect(store.isEdited(0)).toBe(true)
  await environment.transact(store.prepareRevert(0))
  readAll()
  expect(scan).toHaveBeenCalled()
})

test('the first edit is seen by readers that were open before it, and after a restart', async () => {
  const path = join(folder, 'state.mdb')
  const reader = new LmdbEnvironment({ path, readOnly: true })
  const other = new StateStore(reader)
  expect(other.isEdited(0)).toBe(false)
  await edit(change(1, 7n))
  reader.refresh()
  expect(other.isEdited(0)).toBe(true)
  expect(balanceOf(other.currentState(0), 1)).toBe(7n)
  await reader.close()
  await environment.close()
  environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
  store = new StateStore(environment)
  expect(store.isEdited(0)).toBe(true)
  expect(balanceOf(store.currentState(0), 1)).toBe(7n)
})

test('another process sees the edits', async () => {
  await edit(change(1, 7n))
  const reader = new LmdbEnvironment({ path: join(folder, 'state.mdb'), readOnly: true })
  const other = new StateStore(reader)
  expect(balanceOf(other.currentState(0), 1)).toBe(7n)
  await edit(change(1, 8n))
  reader.refresh()
  expect(balanceOf(other.currentState(0), 1)).toBe(8n)
  await environment.transact(store.prepareRevert(0))
  reader.refresh()
  expect(balanceOf(other.currentState(0), 1)).toBe(5n)
  await reader.close()
})

const arbitraryChange = fc
  .record({
    byte: fc.integer({ min: 1, max: 4 }),
    balance: fc.option(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { nil: undefined }),
    cleared: fc.boolean(),
    slots: fc.dictionary(fc.constantFrom('0', '1', '2', '3'), fc.integer({ min: 0, max: 300 })),
  })
  .map(
    ({ byte, balance, cleared, slots }): AccountChange =>
      balance === undefined
        ? { address: address(byte), account: undefined, storageCleared: true, storage: [] }
        : { ...change(byte, balance, slots), storageCleared: cleared },
  )

test('what is stored is what was given', () => {
  fc.assert(
    fc.property(fc.array(arbitraryChange), (accounts) => {
      expect(decodeEdit(encodeEdit(changes(...accounts)))).toEqual(changes(...accounts))
    }),
  )
})

test('many edits give the same as their merged changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(arbitraryChange, { maxLength: 3 }), { maxLength: 8 }),
      async (edits) => {
        let merged = noChanges
        for (const accounts of edits) {
          // One change of an account each.
          const given = [...new Map(accounts.map((account) => [account.address[0], account])).values()]
          await edit(...given)
          store.parentState(0) // the index grows with each
          merged = mergeChanges(merged, changes(...given))
        }
        const expected = createOverlay(store.reader(0), merged)
        const found = store.parentState(0)
        for (let byte = 1; byte <= 4; byte++) {
          expect(found.account(address(byte))).toEqual(expected.account(address(byte)))
          expect(found.hasStorage(address(byte))).toBe(expected.hasStorage(address(byte)))
          for (let slot = 0; slot < 4; slot++)
            expect(found.storage(address(byte), word(slot))).toEqual(
              expected.storage(address(byte), word(slot)),
            )
        }
        await environment.transact(store.prepareRevert(0))
      },
    ),
    { numRuns: 50 },
  )
})
