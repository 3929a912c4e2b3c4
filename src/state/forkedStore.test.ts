import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fromBigInt, toBigInt } from '../base/encoding/bytes.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import {
  type Account,
  type AccountChange,
  type EvmStateReader,
  emptyCodeHash,
  type StateChanges,
} from '../chain/state/evmState.ts'
import type { ForkSource } from '../chain/state/forkSource.ts'
import { mergeChanges, noChanges } from '../chain/state/mergeChanges.ts'
import { createOverlay } from '../chain/state/overlay.ts'
import { checkState } from './check/stateCheck.ts'
import { StateStore } from './stateStore.ts'

/** States of a forked chain: the changes made here, on top of the state of the remote chain. */

const forkBlock = 7
const address = (index: number): Uint8Array => new Uint8Array(20).fill(index + 1)
const word = (value: number): Uint8Array => fromBigInt(BigInt(value), 32)

/** Accounts 0 to 3 exist on the remote, with slots 0 to 2; accounts 4 and 5 do not. */
const isOfRemote = (bytes: Uint8Array): boolean => (bytes[0] as number) <= 4
const remoteAccount = (bytes: Uint8Array): Account | undefined =>
  isOfRemote(bytes) ? { nonce: 1n, balance: 1000n, codeHash: emptyCodeHash } : undefined

const remote: ForkSource = {
  number: forkBlock,
  account: remoteAccount,
  storage: (bytes, slot) => {
    const index = Number(toBigInt(slot))
    return isOfRemote(bytes) && index < 3 ? word(100 + index) : word(0)
  },
  code: () => undefined,
  blockHash: () => undefined,
  load: () => {},
}

const remoteState: EvmStateReader = {
  account: remoteAccount,
  storage: remote.storage,
  code: () => new Uint8Array(0),
  hasStorage: () => false,
}

let folder: string
let environment: LmdbEnvironment
let store: StateStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-forked-'))
  environment = new LmdbEnvironment({ path: join(folder, 'state.mdb'), minFreeBytes: 0, isDurable: false })
  store = new StateStore(environment, { fork: () => remote })
})
afterEach(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

const change = (
  index: number,
  slots: Readonly<Record<number, number>>,
  storageCleared = false,
): AccountChange => ({
  address: address(index),
  account: { nonce: 2n, balance: 5n, codeHash: emptyCodeHash },
  storageCleared,
  storage: Object.entries(slots).map(([slot, value]) => [word(Number(slot)), word(value)]),
})
const deleted = (index: number): AccountChange => ({
  address: address(index),
  account: undefined,
  storageCleared: true,
  storage: [],
})
const block = (...accounts: AccountChange[]): StateChanges => ({ accounts, code: [] })
const slotOf = (height: number, index: number, slot: number): number =>
  Number(toBigInt(store.reader(height).storage(address(index), word(slot))))

test('what was not changed here is the remote’s, at every height', async () => {
  await store.commit(forkBlock, block(change(5, {})))
  await store.commit(forkBlock + 1, block(change(0, { 1: 0, 2: 7 })))
  for (const height of [forkBlock, forkBlock + 1]) {
    expect(store.reader(height).account(address(1))?.balance).toBe(1000n)
    expect(slotOf(height, 1, 0)).toBe(100)
    expect(store.reader(height).account(address(4))).toBeUndefined()
  }
  expect([0, 1, 2].map((slot) => slotOf(forkBlock, 0, slot))).toEqual([100, 101, 102])
  // A slot that is zero here is zero, whatever it is there.
  expect([0, 1, 2].map((slot) => slotOf(forkBlock + 1, 0, slot))).toEqual([100, 0, 7])
})

test('what was deleted or emptied here stays so, also when it is made again', async () => {
  await store.commit(forkBlock, block())
  await store.commit(forkBlock + 1, block(deleted(0), change(1, { 0: 3 }, true)))
  await store.commit(forkBlock + 2, block(change(0, {}), change(1, {})))
  await store.commit(forkBlock + 3, block(change(0, { 2: 9 })))
  const newest = forkBlock + 3
  expect(store.reader(forkBlock + 1).account(address(0))).toBeUndefined()
  expect([0, 1, 2].map((slot) => slotOf(forkBlock + 1, 0, slot))).toEqual([0, 0, 0])
  expect([0, 1, 2].map((slot) => slotOf(newest, 0, slot))).toEqual([0, 0, 9])
  expect([0, 1, 2].map((slot) => slotOf(newest, 1, slot))).toEqual([3, 0, 0])
  await store.revert(forkBlock)
  expect([0, 1, 2].map((slot) => slotOf(forkBlock, 0, slot))).toEqual([100, 101, 102])
  expect(checkState(store, Number.POSITIVE_INFINITY, true).problems).toEqual([])
})

const accountChange = fc.record({
  index: fc.nat(5),
  kind: fc.constantFrom('set', 'set', 'set', 'clear', 'delete'),
  slots: fc.dictionary(fc.constantFrom('0', '1', '2', '3'), fc.nat(3), { maxKeys: 3 }),
})

test('any changes and reverts give the same as an overlay of the remote', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.array(accountChange, { maxLength: 4 }), fc.nat(3)), {
        minLength: 1,
        maxLength: 12,
      }),
      async (steps) => {
        await environment.transact(() => store.tables.clear())
        await store.commit(forkBlock, block())
        const heights: StateChanges[] = [noChanges]
        for (const step of steps) {
          if (typeof step === 'number') {
            const depth = Math.min(step, heights.length - 1)
            heights.length -= depth
            await store.revert(forkBlock + heights.length - 1)
            continue
          }
          const unique = new Map(step.map((each) => [each.index, each]))
          const changes = block(
            ...Array.from(unique.values(), ({ index, kind, slots }) =>
              kind === 'delete'
                ? deleted(index)
                : change(index, slots as Record<number, number>, kind === 'clear'),
            ),
          )
          await store.commit(forkBlock + heights.length, changes)
          heights.push(mergeChanges(heights.at(-1) ?? noChanges, changes))
        }
        for (const [above, changes] of heights.entries()) {
          const expected = createOverlay(remoteState, changes)
          const reader = store.reader(forkBlock + above)
          for (let index = 0; index <= 5; index++) {
            const bytes = address(index)
            expect(reader.account(bytes)?.balance).toBe(expected.account(bytes)?.balance)
            for (let slot = 0; slot < 4; slot++)
              expect(reader.storage(bytes, word(slot))).toEqual(expected.storage(bytes, word(slot)))
          }
        }
        expect(checkState(store, Number.POSITIVE_INFINITY, true).problems).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})
