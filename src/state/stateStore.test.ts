import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { slow } from '../../test/support/slow.ts'
import { keccak256 } from '../base/crypto/crypto.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { type AccountChange, emptyCodeHash } from '../chain/state/evmState.ts'
import { checkState } from './check/stateCheck.ts'
import { decodeChangeList, encodeChangeList } from './rows/changeList.ts'
import { emptyRoot, heightKey } from './rows/rows.ts'
import { SnapshotError } from './snapshot/snapshotError.ts'
import { SnapshotImporter } from './snapshot/snapshotImporter.ts'
import { createSnapshotManifest, iterateSnapshotChunks, recordTypes } from './snapshot/snapshotManifest.ts'
import { StateStore, UnknownHeightError } from './stateStore.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const word = (byte: number): Uint8Array => {
  const bytes = new Uint8Array(32)
  bytes[31] = byte
  return bytes
}

const account = (byte: number, slots: readonly number[] = [], nonce = 1n): AccountChange => ({
  address: address(byte),
  account: { nonce, balance: 5n, codeHash: emptyCodeHash },
  storageCleared: false,
  storage: slots.map((slot) => [word(slot), word(slot)]),
})

const deleted = (byte: number): AccountChange => ({
  address: address(byte),
  account: undefined,
  storageCleared: true,
  storage: [],
})

const block = (...accounts: AccountChange[]) => ({ accounts, code: [] })

let directory: string
let environment: LmdbEnvironment
let store: StateStore

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'perihelion-store-'))
  environment = new LmdbEnvironment({ path: join(directory, 'state.mdb'), minFreeBytes: 0 })
  store = new StateStore(environment)
})
afterEach(async () => {
  await environment.close()
  rmSync(directory, { recursive: true })
})

describe('StateStore', () => {
  it('begins empty, at any height, and goes on one by one', async () => {
    expect(store.head).toBeUndefined()
    expect(() => store.reader(0)).toThrow('there is none')
    expect(await store.commit(7, block())).toEqual({ height: 7, root: emptyRoot })
    await store.commit(8, block(account(1)))
    expect(() => store.prepare(10, block())).toThrow('does not follow')
    expect(() => store.prepare(9, block(account(1), account(1)))).toThrow('changed twice')
  })

  it('deletes the storage of all accounts that were destroyed once no kept height needs it', async () => {
    await environment.close()
    environment = new LmdbEnvironment({ path: join(directory, 'state.mdb'), minFreeBytes: 0 })
    const pruned = new StateStore(environment, { pruning: 'everything' })
    const bytes = Array.from({ length: 20 }, (_, index) => index + 1)
    await pruned.commit(0, block(...bytes.map((byte) => account(byte, [1, 2]))))
    await pruned.commit(1, block(...bytes.map(deleted)))
    for (let height = 2; height <= 12; height++) await pruned.commit(height, block())
    const { slots, droppedStorage } = pruned.tables
    expect([...droppedStorage.getKeys({})]).toHaveLength(0)
    expect([...slots.table.getKeys({})]).toHaveLength(0)
    expect(checkState(pruned, 3).problems).toEqual([])
  })

  it('keeps the storage of an account that was made again in the block after its first', async () => {
    await environment.close()
    environment = new LmdbEnvironment({ path: join(directory, 'state.mdb'), minFreeBytes: 0 })
    const pruned = new StateStore(environment, { pruning: 'everything' })
    const old = Array.from({ length: 40 }, (_, slot) => slot + 1)
    const kept = old.map((slot) => slot + 100)
    await pruned.commit(0, block(account(1, old)))
    await pruned.commit(1, block({ ...account(1, kept), storageCleared: true }))
    for (let height = 2; height <= 14; height++) await pruned.commit(height, block())
    expect([...pruned.tables.slots.table.getKeys({})]).toHaveLength(kept.length)
    expect(checkState(pruned, 3).problems).toEqual([])
  })

  it('removes all old versions of a row when one commit prunes several heights', async () => {
    for (let height = 0; height <= 15; height++)
      await store.commit(height, block(account(1, [height + 1], BigInt(height + 1))))
    const pruned = new StateStore(environment, { pruning: 'everything' })
    for (let height = 16; height <= 22; height++) await pruned.commit(height, block())
    expect(pruned.oldest).toBe(13)
    // The one of the oldest height, and those of the two heights after it.
    expect([...pruned.tables.accounts.table.getValues(address(1))]).toHaveLength(3)
    expect(checkState(pruned, 100).problems).toEqual([])
  })

  it('forgets the storage of an account that is destroyed and made again', async () => {
    await store.commit(0, block(account(1, [1, 2, 3])))
    await store.commit(1, block(deleted(1)))
    await store.commit(2, block(account(1, [2])))
    const slots = (height: number) =>
      [1, 2, 3].map((slot) => store.reader(height).storage(address(1), word(slot))[31])
    expect([slots(0), slots(1), slots(2)]).toEqual([
      [1, 2, 3],
      [0, 0, 0],
      [0, 2, 0],
    ])
    expect([0, 1, 2].map((height) => store.reader(height).hasStorage(address(1)))).toEqual([
      true,
      false,
      true,
    ])
    expect(checkState(store, 3).problems).toEqual([])
  })

  it('writes nothing for an account that is only touched', async () => {
    await store.commit(0, block(account(1, [1]), account(2)))
    const again = store.prepare(1, block(account(1, [1]), account(2), deleted(9)))
    expect(again.root).toEqual(store.head?.root)
    expect(again.bytes).toBeLessThan(20)
  })

  it('goes back and forward again to the same rows', async () => {
    await store.commit(0, block(account(1, [1]), account(2)))
    const first = await store.commit(1, block(account(2, [4]), deleted(1), account(3)))
    const rows = environment.stats().map(({ name, rows }) => [name, rows])
    await store.revert(0)
    expect(store.reader(0).storage(address(1), word(1))).toEqual(word(1))
    expect(() => store.reader(1)).toThrow(UnknownHeightError)
    expect(await store.commit(1, block(account(2, [4]), deleted(1), account(3)))).toEqual(first)
    expect(environment.stats().map(({ name, rows }) => [name, rows])).toEqual(rows)
  })

  it('finds an old root after hundreds of heights', slow, async () => {
    const roots: Uint8Array[] = []
    for (let height = 0; height < 200; height++) {
      roots.push((await store.commit(height, block(account(1, [], BigInt(height)), account(2)))).root)
    }
    for (const height of [0, 1, 63, 64, 65, 127, 128, 129, 198, 199]) {
      const [top] = store.reader(height).getProof(address(1), []).proof
      expect(top).toBeDefined()
      expect(store.reader(height).root).toEqual(roots[height])
    }
    expect(checkState(store, 200).problems).toEqual([])
  })
})

describe('check', () => {
  it('finds a row that was changed, and one that is missing', async () => {
    await store.commit(0, block(account(1, [1, 2]), account(2), account(3)))
    await environment.transact(() => {
      const { table } = store.tables.accounts
      const row = store.tables.accounts.exact(address(2), 0) as Uint8Array
      table.remove(address(2), row)
      const wrong = row.slice()
      wrong[wrong.length - 1] = 6
      table.put(address(2), wrong)
    })
    expect(checkState(store, 1).problems.join()).toContain('is not what its parent refers to')
    await environment.transact(() => {
      store.tables.accounts.table.remove(address(3))
    })
    expect(checkState(store, 1).problems.join()).toContain('a leaf has no account row')
  })
})

describe('check of the oldest height', () => {
  /** Puts each row in place of the change list of the first height, and returns those that the check takes. */
  const accepted = async (height: number, rows: readonly Uint8Array[]): Promise<number[]> => {
    const missed: number[] = []
    for (const [index, row] of rows.entries()) {
      await environment.transact(() => store.tables.changes.put(heightKey(height), row))
      if (checkState(store, 10).problems.length === 0) missed.push(index)
    }
    return missed
  }

  const listOf = (height: number): Uint8Array =>
    Uint8Array.from(store.tables.changes.get(heightKey(height)) ?? [])

  it.each([7, 0])('finds a bit of every byte of the list of a chain that begins at %s', async (first) => {
    await store.commit(first, block(account(1, [1, 2]), account(2)))
    await store.commit(first + 1, block(account(1, [3], 2n), deleted(2)))
    const list = listOf(first)
    const flipped = Array.from(list, (_, index) =>
      list.map((byte, at) => (at === index ? byte ^ (1 << (index & 7)) : byte)),
    )
    expect(await accepted(first, flipped)).toEqual([])
    expect(await accepted(first, [list])).toEqual([0])
  })

  it('finds keys that the list lacks or has twice, and a list in another place', async () => {
    await store.commit(7, block(account(1, [1, 2]), account(2)))
    await store.commit(8, block(account(3)))
    const list = decodeChangeList(listOf(7))
    const [accounts = [], slots = []] = list.keys
    const [first] = accounts as [Uint8Array]
    const wrong = [
      { keys: [accounts.slice(1), slots], dropped: [] },
      { keys: [accounts, slots.slice(1)], dropped: [] },
      { keys: [[...accounts.slice(1), ...accounts.slice(1)], slots], dropped: [] },
      { keys: [[], []], dropped: [] },
      { keys: [accounts, slots], dropped: [new Uint8Array(26)] },
      { keys: [[...accounts, first], slots], dropped: [] },
    ]
    expect(await accepted(7, wrong.map(encodeChangeList))).toEqual([])
    await environment.transact(() => {
      store.tables.changes.remove(heightKey(7))
      store.tables.changes.put(heightKey(6), encodeChangeList(list))
    })
    expect(checkState(store, 10).problems).not.toEqual([])
  })

  it('finds a piece of the history in another place', async () => {
    await store.commit(7, block(account(1, [1, 2]), account(2)))
    const [[key, piece]] = [...store.tables.nodes.pieces(7)] as [[Uint8Array, Uint8Array]]
    const copy = Uint8Array.from(piece)
    await environment.transact(() => {
      store.tables.nodes.history.remove(key)
      store.tables.nodes.history.put(
        key.map((byte, at) => (at === key.length - 1 ? byte ^ 1 : byte)),
        copy,
      )
    })
    expect(checkState(store, 10).problems).not.toEqual([])
  })
})

describe('a snapshot', () => {
  it('is rejected if a chunk is wrong or missing, or if the root differs', async () => {
    await store.commit(0, block(account(1, [1, 2, 3]), account(2), account(3)))
    const reader = store.reader(0)
    const manifest = createSnapshotManifest(store.tables, reader, 60)
    const chunks = [...iterateSnapshotChunks(store.tables, reader, 60)]
    expect(chunks.length).toBeGreaterThan(2)
    const otherEnvironment = new LmdbEnvironment({ path: join(directory, 'copy.mdb'), minFreeBytes: 0 })
    const copy = new StateStore(otherEnvironment)
    const begin = (changed: Partial<typeof manifest> = {}) =>
      SnapshotImporter.start(otherEnvironment, copy.tables, { ...manifest, ...changed })
    const wrong = await begin()
    await expect(wrong.add(chunks[1] as Uint8Array)).rejects.toThrow(SnapshotError)
    const short = await begin()
    await short.add(chunks[0] as Uint8Array)
    await expect(short.finish()).rejects.toThrow('chunks are missing')
    expect(() => copy.prepare(0, block())).toThrow('not finished')
    const lying = await begin({ root: word(1) })
    for (const chunk of chunks) await lying.add(chunk)
    await expect(lying.finish()).rejects.toThrow('the root is')
    const right = await begin()
    for (const chunk of chunks) await right.add(chunk)
    await right.finish()
    expect(copy.head).toEqual(store.head)
    await copy.commit(1, block())
    await expect(begin()).rejects.toThrow('has a state already')
    await otherEnvironment.close()
  })

  it('is rejected if records are out of order, duplicate or cut short', async () => {
    await store.commit(0, block(account(1, [1, 2, 3]), account(2), account(3)))
    const reader = store.reader(0)
    const [chunk = new Uint8Array()] = iterateSnapshotChunks(store.tables, reader)
    const otherEnvironment = new LmdbEnvironment({ path: join(directory, 'copy.mdb'), minFreeBytes: 0 })
    const copy = new StateStore(otherEnvironment)
    const add = async (...chunks: Uint8Array[]): Promise<void> => {
      const manifest = { format: 1 as const, height: 0, root: reader.root, chunks: chunks.map(keccak256) }
      const target = await SnapshotImporter.start(otherEnvironment, copy.tables, manifest)
      for (const bytes of chunks) await target.add(bytes)
      await target.finish()
    }
    await expect(add(chunk, chunk)).rejects.toThrow('accounts are out of order')
    const slotAt = Buffer.from(chunk).indexOf(
      Buffer.concat([Uint8Array.of(recordTypes.slot), new Uint8Array(31)]),
    )
    const slot = chunk.slice(slotAt, slotAt + 1 + 32 + 2)
    const twice = Buffer.concat([chunk.subarray(0, slotAt), slot, chunk.subarray(slotAt)])
    await expect(add(twice)).rejects.toThrow('slots are out of order')
    // An account that goes on without a slot would lose its row, and the root would be right all the same.
    const single = [...iterateSnapshotChunks(store.tables, reader, 1)]
    const starts = [...single.keys()].filter((at) => at > 0 && single[at]?.[0] === recordTypes.account)
    expect(starts).toHaveLength(2)
    for (const start of starts) {
      const open = single[start - 1]?.subarray(1, 21) ?? new Uint8Array()
      const forged = single.map((bytes, at) =>
        at === start ? Buffer.concat([Uint8Array.of(recordTypes.more), open, bytes]) : bytes,
      )
      await expect(add(...forged)).rejects.toThrow('goes on without slots')
    }
    for (let length = 1; length < chunk.length; length++)
      await expect(add(chunk.subarray(0, length)), `${length} bytes`).rejects.toThrow(SnapshotError)
    const withCode = Uint8Array.from(chunk)
    const [first = 0, flags = 0] = [chunk.indexOf(recordTypes.account), 22]
    withCode[first + flags] = 1
    await expect(add(withCode)).rejects.toThrow(SnapshotError)
    await add(chunk)
    expect(copy.head).toEqual(store.head)
    await otherEnvironment.close()
  })
})
