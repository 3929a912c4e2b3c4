import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRandom } from '../../../test/support/random.ts'
import { slow } from '../../../test/support/slow.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { checkState } from '../check/stateCheck.ts'
import { heightKey, writeHeight } from '../rows/rows.ts'
import { StateStore } from '../stateStore.ts'
import { decodePiece } from './nodeTable.ts'

const first = 3_990
const last = 4_290
const accounts = 400

let directory: string
let environment: LmdbEnvironment
let store: StateStore
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'perihelion-history-'))
  environment = new LmdbEnvironment({ path: join(directory, 'state.mdb'), minFreeBytes: 0, isDurable: false })
  store = new StateStore(environment)
})
afterEach(async () => {
  await environment.close()
  rmSync(directory, { recursive: true })
})

const addressOf = (index: number): Uint8Array => keccak256(Uint8Array.of(index >> 8, index)).subarray(0, 20)

const change = (index: number, nonce: number) => ({
  address: addressOf(index),
  account: nonce < 0 ? undefined : { nonce: BigInt(nonce), balance: 7n, codeHash: emptyCodeHash },
  storageCleared: false,
  storage: [],
})

/** Some accounts change at each height, some in a few heights after a long pause, and some hardly ever. */
const chosenAt = (height: number, random: ReturnType<typeof createRandom>): number[] => {
  const chosen = new Set([height % 3])
  const inBurst = height % 130
  if (inBurst < 6) for (let i = 0; i < 3; i++) chosen.add(10 + ((height * 7 + i) % 60))
  if (random.below(5) === 0) chosen.add(100 + random.below(accounts - 100))
  return [...chosen]
}

test(
  'nodes of all heights are found and go back, across windows and whatever changed how often',
  slow,
  async () => {
    const random = createRandom(5)
    const all = Array.from({ length: accounts }, (_, index) => change(index, 0))
    await store.commit(first, { code: [], accounts: all })
    for (let height = first + 1; height <= last; height++) {
      const chosen = chosenAt(height, random)
      const changes = chosen.map((index) => change(index, random.below(12) === 0 ? -1 : height))
      await store.commit(height, { code: [], accounts: changes })
    }
    const kinds = { whole: 0, deltas: 0 }
    for (const { value } of store.tables.nodes.history.getRange({}))
      for (const { before, isDelta } of decodePiece(value))
        if (isDelta) kinds.deltas++
        else if (before) kinds.whole++
    expect(kinds.deltas).toBeGreaterThan(kinds.whole)
    const expectWhole = (): void => {
      const head = store.head?.height as number
      for (let round = 0; round < 100; round++) {
        const height = first + random.below(head - first + 1)
        const reader = store.reader(height)
        const { proof } = reader.getProof(addressOf(random.below(accounts)), [])
        expect(Buffer.compare(keccak256(proof[0] as Uint8Array), store.rootAt(height))).toBe(0)
      }
    }
    expectWhole()
    expect(checkState(store, Number.POSITIVE_INFINITY).problems).toEqual([])
    const roots = [4_250, 4_097, 4_000].map((height) => [height, store.rootAt(height)] as const)
    for (const [height, root] of roots) {
      await store.revert(height)
      expect(Buffer.compare(store.rootAt(height), root)).toBe(0)
      expectWhole()
    }
    expect(checkState(store, Number.POSITIVE_INFINITY).problems).toEqual([])
  },
)

test('a walk through damaged versions ends with an error', async () => {
  for (let height = 1; height <= 4; height++)
    await store.commit(height, { code: [], accounts: [change(1, height)] })
  const { history } = store.tables.nodes
  // What height 3 replaced says to be of height 4, whose predecessor is that again.
  for (const { key, value } of history.getRange({ start: heightKey(3), end: heightKey(4) })) {
    const damaged = value.slice()
    for (const { before } of decodePiece(damaged)) if (before) writeHeight(before, 0, 4)
    await history.put(key.slice(), damaged)
  }
  expect(() => store.reader(2).getProof(addressOf(1), [])).toThrow('holds a version that is not older')
  expect(checkState(store, Number.POSITIVE_INFINITY).problems).not.toEqual([])
})
