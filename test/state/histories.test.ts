import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import type { Account } from '../../src/chain/state/evmState.ts'
import { checkState } from '../../src/state/check/stateCheck.ts'
import { type PruningMode, pruningModes } from '../../src/state/history/prune.ts'
import { SnapshotImporter } from '../../src/state/snapshot/snapshotImporter.ts'
import { createSnapshotManifest, iterateSnapshotChunks } from '../../src/state/snapshot/snapshotManifest.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { createRandom, type Random } from '../support/random.ts'
import { slow } from '../support/slow.ts'
import { applyChanges, createBlocks, hex, type Model, unhex } from './model.ts'
import { accountValue, emptyTrieRoot, Oracle, slotValue, verify } from './oracle.ts'

/**
 * Random histories against maps in memory and @ethereumjs/mpt. HISTORY_BLOCKS (1,000 for `npm run long -- histories`)
 * and HISTORY_SEED choose the run; the seed is in the name of each suite.
 */
const blocks = Number(process.env.HISTORY_BLOCKS ?? 80)
const seed = Number(process.env.HISTORY_SEED ?? 5)
const timeout = 180_000 + blocks * 500

const pick = <T>(random: Random, list: readonly T[]): T => list[random.below(list.length)] as T

// Plain comparisons: there are millions of them in a long history.
const same = (found: unknown, expected: unknown, what: string, height: number): void => {
  if (found !== expected) throw new Error(`${what} at ${height}: ${String(found)}, not ${String(expected)}`)
}

const text = (account: Account | undefined): string =>
  account ? `${account.nonce} ${account.balance} ${hex(account.codeHash)}` : 'none'

class History {
  readonly directory = mkdtempSync(join(tmpdir(), 'perihelion-state-'))
  readonly random: Random
  readonly blocks: ReturnType<typeof createBlocks>
  readonly oracle = new Oracle()
  readonly models = new Map<number, Model>()
  readonly codes = new Map<string, Uint8Array>()
  readonly pruning: PruningMode
  environment: LmdbEnvironment
  store: StateStore
  height = -1

  constructor(pruning: PruningMode, options: { accounts: number; changes: number }) {
    this.pruning = pruning
    this.random = createRandom(seed)
    this.blocks = createBlocks(this.random, keccak_256, options)
    this.environment = new LmdbEnvironment({ path: join(this.directory, 'state.mdb'), minFreeBytes: 0 })
    this.store = new StateStore(this.environment, { pruning })
  }

  async reopen(): Promise<void> {
    await this.environment.close()
    this.environment = new LmdbEnvironment({ path: join(this.directory, 'state.mdb'), minFreeBytes: 0 })
    this.store = new StateStore(this.environment, { pruning: this.pruning })
  }

  async block(): Promise<void> {
    const model = this.models.get(this.height) ?? new Map()
    const changes = this.blocks.next(model)
    this.height++
    for (const [hash, code] of changes.code) this.codes.set(hex(hash), code)
    this.models.set(this.height, applyChanges(model, changes))
    const expected = await this.oracle.block(this.height, changes.accounts)
    const prepared = this.store.prepare(this.height, changes)
    expect(hex(prepared.root)).toBe(hex(expected))
    // What is only prepared leaves no trace.
    expect(this.store.head?.height ?? -1).toBe(this.height - 1)
    await this.environment.transact(prepared.write)
    expect(this.store.head).toEqual({ height: this.height, root: new Uint8Array(expected) })
  }

  async undo(): Promise<void> {
    const lowest = Math.max(this.store.oldest ?? 0, this.height - 5)
    const target = lowest + this.random.below(this.height - lowest + 1)
    await this.store.revert(target)
    for (let height = this.height; height > target; height--) this.models.delete(height)
    this.height = target
    this.oracle.rewind(target)
    expect(this.store.head?.height).toBe(target)
  }

  checkReads(height: number): void {
    const reader = this.store.reader(height)
    const model = this.models.get(height) as Model
    same(hex(reader.root), hex(this.oracle.rootAt(height)), 'root', height)
    for (const address of this.blocks.addresses) {
      const expected = model.get(hex(address))
      const account = reader.account(address)
      same(text(account), text(expected?.account), hex(address), height)
      same(
        reader.hasStorage(address),
        (expected?.storage.size ?? 0) > 0,
        `storage of ${hex(address)}`,
        height,
      )
      for (const [slot, value] of expected?.storage ?? []) {
        same(hex(reader.storage(address, unhex(slot))), hex(value), slot, height)
      }
      same(hex(reader.storage(address, this.random.bytes(32))), '0'.repeat(64), 'an unset slot', height)
      const code = expected && this.codes.get(hex(expected.account.codeHash))
      if (code) same(hex(reader.code(expected.account.codeHash)), hex(code), 'code', height)
    }
  }

  /** A proof of a random account and of two slots, present or not, judged by the other library. */
  async checkProof(height: number): Promise<void> {
    const { random } = this
    const model = this.models.get(height) as Model
    const address = random.below(4) === 0 ? random.bytes(20) : pick(random, this.blocks.addresses)
    const expected = model.get(hex(address))
    const present = [...(expected?.storage.keys() ?? [])].map(unhex)
    const slots = [...(present.length > 0 ? [pick(random, present)] : []), random.bytes(32)]
    const { proof, storage, account } = this.store.reader(height).getProof(address, slots)
    const storageRoot = this.oracle.storageRootAt(height, address) ?? emptyTrieRoot
    const found = await verify(this.oracle.rootAt(height), address, proof)
    if (!expected) {
      expect([found, account]).toEqual([null, undefined])
    } else {
      expect(hex(found as Uint8Array)).toBe(hex(accountValue(expected.account, storageRoot)))
      expect(hex(account?.storageRoot as Uint8Array)).toBe(hex(storageRoot))
    }
    for (const { slot, proof: nodes } of storage) {
      const value = expected?.storage.get(hex(slot))
      const proven = await verify(expected ? storageRoot : emptyTrieRoot, slot, nodes)
      expect(proven && hex(proven)).toBe(value ? hex(slotValue(value)) : null)
    }
  }

  checkDump(height: number): void {
    const reader = this.store.reader(height)
    const model = this.models.get(height) as Model
    const seen: string[] = []
    let from: Uint8Array | undefined = new Uint8Array(32)
    while (from) {
      const page = reader.accountRange(from, 7)
      for (const { address, hash } of page.items) {
        expect(hex(hash)).toBe(hex(keccak_256(address)))
        seen.push(hex(address))
        const slots = reader.storageRange(address, new Uint8Array(32), 1000).items
        expect(new Set(slots.map(({ slot }) => hex(slot)))).toEqual(
          new Set(model.get(hex(address))?.storage.keys()),
        )
      }
      from = page.next
    }
    expect(seen.length).toBe(model.size)
    expect(new Set(seen)).toEqual(new Set(model.keys()))
  }

  async checkSnapshot(height: number, chunkBytes: number): Promise<void> {
    const reader = this.store.pinnedReader(height)
    const manifest = createSnapshotManifest(this.store.tables, reader, chunkBytes)
    const environment = new LmdbEnvironment({
      path: join(this.directory, `copy-${height}-${chunkBytes}.mdb`),
      minFreeBytes: 0,
    })
    const copy = new StateStore(environment)
    const target = await SnapshotImporter.start(environment, copy.tables, manifest)
    for (const chunk of iterateSnapshotChunks(this.store.tables, reader, chunkBytes)) await target.add(chunk)
    await target.finish()
    reader.close()
    expect(copy.head).toEqual({ height, root: new Uint8Array(this.oracle.rootAt(height)) })
    const model = this.models.get(height) as Model
    for (const [address, { account, storage }] of model) {
      same(text(copy.reader(height).account(unhex(address))), text(account), address, height)
      for (const [slot, value] of storage) {
        same(hex(copy.reader(height).storage(unhex(address), unhex(slot))), hex(value), slot, height)
      }
    }
    expect(checkState(copy, 3).problems).toEqual([])
    // It goes on from there like the state it was taken from.
    const changes = this.blocks.next(model)
    const next = copy.prepare(height + 1, changes)
    if (height === this.height) {
      expect(hex(next.root)).toBe(hex(this.store.prepare(height + 1, changes).root))
    }
    await environment.close()
  }

  async close(): Promise<void> {
    await this.environment.close()
    rmSync(this.directory, { recursive: true })
  }
}

for (const [pruning, options] of [
  ['archive', { accounts: 150, changes: 25 }],
  ['everything', { accounts: 40, changes: 12 }],
] as const) {
  describe(
    `a history of ${blocks} blocks, pruning ${pruning}, seed ${seed}`,
    pruning === 'archive' ? slow : {},
    () => {
      let history: History
      beforeAll(() => {
        history = new History(pruning, options)
      })
      afterAll(() => history.close())
      const kept = () => {
        const oldest = history.store.oldest as number
        return Array.from({ length: history.height - oldest + 1 }, (_, i) => oldest + i)
      }

      it('finds the same root at every block, with undo and reopening between', { timeout }, async () => {
        for (let i = 0; i < blocks; i++) {
          await history.block()
          if (history.random.below(15) === 0) await history.undo()
          if (history.random.below(60) === 0) await history.reopen()
          await history.checkProof(pick(history.random, kept()))
          history.checkReads(pick(history.random, kept()))
        }
        expect(kept().length).toBeLessThanOrEqual(pruningModes[pruning])
      })

      it('reads every kept height', { timeout }, () => {
        for (const height of kept()) history.checkReads(height)
        const oldest = history.store.oldest as number
        if (oldest > 0) expect(() => history.store.reader(oldest - 1)).toThrow('no state is kept')
        expect(() => history.store.reader(history.height + 1)).toThrow('no state is kept')
      })

      it('proves at every kept height', { timeout }, async () => {
        for (const height of kept()) for (let i = 0; i < 3; i++) await history.checkProof(height)
      })

      it('dumps and checks what it has', { timeout }, () => {
        for (let i = 0; i < 5; i++) history.checkDump(pick(history.random, kept()))
        expect(checkState(history.store, 50).problems).toEqual([])
      })

      it('carries a state to an empty store in chunks', { timeout }, async () => {
        for (const chunkBytes of [150, 2_000, 2 ** 20])
          await history.checkSnapshot(history.height, chunkBytes)
        await history.checkSnapshot(history.store.oldest as number, 1_000)
      })
    },
  )
}

it(`finds the same roots of large blocks, with undo and reopening, seed ${seed}`, {
  ...slow,
  timeout,
}, async () => {
  const history = new History('everything', { accounts: 5_000, changes: 15_000 })
  for (let large = 0; large < 2; ) {
    await history.block()
    const changed = history.store.changedAccounts(history.height - 1, history.height)
    if (changed.length <= 4_096) continue
    large++
    if (large === 1) await history.undo()
    else await history.reopen()
    history.checkReads(history.height)
  }
  expect(checkState(history.store, 8).problems).toEqual([])
  await history.close()
})
